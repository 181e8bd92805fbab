/** The providers of this machine, in the order in which they are listed and looked for. */
import { HostProcesses, Provider, Redactor } from "@alluka/core"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { knownAgents } from "./acp/agents.js"
import { makeAcpProvider } from "./acp/provider.js"
import { claude } from "./claude/index.js"
import { codex } from "./codex/index.js"
import type { ProviderConfigs } from "./custom/config.js"
import { makeConfigured } from "./custom/index.js"
import { type DemoOptions, demo } from "./demo/index.js"
import { gemini } from "./gemini/index.js"
import { kimi } from "./kimi/index.js"
import { opencode } from "./opencode/index.js"
import { pi } from "./pi/index.js"
import type { Limits } from "./process/supervisor.js"
import { type Env, type Machine, makeProcessProvider } from "./processProvider.js"

export interface Options {
  /** The program to run for a provider, a path or a name, by the provider's id; the others are looked for on PATH. */
  readonly commands?: Readonly<Record<string, string>>
  /** How to start the demo agent; without it there is none. */
  readonly demo?: DemoOptions
  /** The environment of the providers; this process's own if it is left out. */
  readonly env?: Env
  readonly limits?: Partial<Limits>
  /** The providers of a configuration, and the folder of the conversations that Alluka keeps for servers among them. */
  readonly configured?: { readonly providers: ProviderConfigs; readonly transcripts: string }
}

const make = (options: Options, host: HostProcesses.HostProcesses["Type"]): ReadonlyArray<Provider.Provider> => {
  const env = options.env ?? process.env
  const shared = { env, host, ...(options.limits === undefined ? {} : { limits: options.limits }) }
  const machine = (id: string): Machine => ({ ...shared, command: options.commands?.[id] })
  const { configured } = options
  return [
    makeProcessProvider(claude, machine("claude")),
    makeProcessProvider(codex, machine("codex")),
    makeProcessProvider(opencode, machine("opencode")),
    makeProcessProvider(gemini, machine("gemini")),
    makeProcessProvider(pi, machine("pi")),
    makeProcessProvider(kimi, machine("kimi")),
    ...knownAgents.map((agent) => makeAcpProvider(agent, machine(agent.id))),
    ...(configured === undefined
      ? []
      : makeConfigured(configured.providers, {
          ...shared,
          transcripts: configured.transcripts,
          redact: Redactor.fromEnvironment(env).redact
        })),
    ...(options.demo === undefined ? [] : [makeProcessProvider(demo(options.demo), machine("demo"))])
  ]
}

/** Every built-in provider. */
export const layer = (options: Options = {}): Layer.Layer<Provider.Providers, never, HostProcesses.HostProcesses> =>
  Layer.effect(
    Provider.Providers,
    Effect.map(HostProcesses.HostProcesses, (host) => {
      const all = make(options, host)
      return { all, find: (id) => Arr.findFirst(all, (provider) => provider.id === id) }
    })
  )
