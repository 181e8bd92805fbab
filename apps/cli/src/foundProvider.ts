/** A provider as it is on this machine. */
import { BeginRun, type Documents, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The provider with this name. */
export const namedProvider = (
  id: string
): Effect.Effect<Provider.Provider, BeginRun.ProviderUnknown, Provider.Providers> =>
  Effect.gen(function* () {
    const providers = yield* Provider.Providers
    const found = Option.getOrNull(providers.find(id))
    return found ?? (yield* new BeginRun.ProviderUnknown({ provider: id, known: providers.all.map((each) => each.id) }))
  })

/** Looks for the program and asks it for its version; `auth`: also for its sign-in, where it has an answer to that. */
export const lookAt = (
  provider: Provider.Provider,
  ask: { readonly auth: boolean }
): Effect.Effect<Documents.ProviderFound & Required<Pick<Documents.ProviderFound, "auth">>> =>
  Effect.gen(function* () {
    const availability = yield* provider.detect
    if (availability._tag === "Missing") return { provider, availability, version: null, auth: null }
    const [version, auth] = yield* Effect.all(
      [provider.version ?? Effect.succeed(null), ask.auth ? provider.auth : Effect.succeed(null)],
      { concurrency: "unbounded" }
    )
    return { provider, availability, version: version ?? availability.version, auth }
  })
