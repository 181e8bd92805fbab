/** Made by the build (`build/providerFacts.mjs`) from the providers themselves. */
declare module "alluka:provider-facts" {
  import type { Provider } from "@alluka/core"

  /** What a record's verdict needs of each built-in provider. */
  export const providerFacts: ReadonlyArray<Pick<Provider.Provider, "id" | "title" | "capabilities">>
}
