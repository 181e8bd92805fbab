/**
 * A bundler plugin: what the built-in providers say of themselves, noted at build time, so that a list can tell what a
 * resume would answer without loading every provider. Taken from the registry itself, so it cannot differ from it.
 */

import { HostProcesses, Provider } from "@alluka/core"
import { Registry } from "@alluka/providers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const name = "alluka:provider-facts"

const facts = () => {
  // Nothing is started here, so nothing is asked of the host.
  const host = Layer.succeed(HostProcesses.HostProcesses, {})
  const demo = { command: "", args: [], sessions: "" }
  const providers = Effect.runSync(
    Provider.Providers.pipe(Effect.provide(Registry.layer({ demo, env: {} })), Effect.provide(host))
  )
  return providers.all.map(({ capabilities, id, title }) => ({ id, title, capabilities }))
}

export const providerFacts = () => ({
  name: "provider-facts",
  resolveId: { order: "pre", handler: (id) => (id === name ? `\0${name}` : null) },
  load: (id) => (id === `\0${name}` ? `export const providerFacts = ${JSON.stringify(facts())}` : null)
})
