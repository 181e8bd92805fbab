/** The providers that the configuration describes, read; each that cannot be used is told, and hides none of the others. */
import { Configured } from "@alluka/providers"
import type { Config } from "./config/merge.js"

export interface Described {
  readonly providers: Configured.ProviderConfigs
  /** What is wrong, one sentence for each provider that cannot be used. */
  readonly faults: ReadonlyArray<string>
}

export const describedProviders = ({ described }: Pick<Config, "described">): Described => {
  const providers: Record<string, Configured.ProviderConfig> = {}
  const faults: Array<string> = []
  for (const [id, { json, origin }] of described) {
    const read = Configured.readProviders({ [id]: json })
    if (read._tag === "Right") Object.assign(providers, read.right)
    else {
      const wrong = read.left.map(({ message, path }) => `${path} ${message}`).join("; ")
      faults.push(`${origin.where ?? ""}: the provider "${id}" cannot be used: ${wrong}`)
    }
  }
  return { providers, faults }
}
