/** `alluka providers list`: what is installed, and what each can continue. */
import { Documents, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import { withApp } from "../app.js"
import type { Command } from "../Command.js"
import { renderProviders } from "../output/human/providers.js"

/** A provider as it was found on this machine. */
export interface ProviderFound {
  readonly provider: Provider.Provider
  readonly availability: Provider.Availability
  readonly version: string | null
}

export const providersList: Command = (invocation, io) =>
  withApp(invocation, io, { open: "nothing" }, ({ output }) =>
    Effect.gen(function* () {
      const providers = yield* Provider.Providers
      const found = yield* Effect.forEach(
        providers.all,
        (provider) =>
          Effect.gen(function* () {
            const availability = yield* provider.detect
            const asked = availability._tag === "Installed" ? yield* provider.version ?? Effect.succeed(null) : null
            const version = asked ?? (availability._tag === "Installed" ? availability.version : null)
            return { provider, availability, version }
          }),
        { concurrency: "unbounded" }
      )
      yield* Effect.promise(() =>
        output.json
          ? output.document(Documents.providerListDocument(found))
          : output.text(renderProviders(found, output))
      )
      return 0
    })
  )
