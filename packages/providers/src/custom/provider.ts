/** A program of the user's own as a provider, by configuration alone. */
import { type Capabilities, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import { unknown } from "../inspection.js"
import { type Machine, makeProcessProvider } from "../processProvider.js"
import { uuidFor } from "../sessionIds.js"
import type { CommandConfig } from "./config.js"
import { decoder, isIdOf } from "./decode.js"
import { type Filled, fill, placesIn } from "./template.js"

/** Makes the provider of a configured program. */
export const makeCommandProvider = (id: string, config: CommandConfig, machine: Machine): Provider.Provider => {
  const title = config.title ?? id
  const program = String(config.command[0])
  const isSessionId = isIdOf(config.session)
  const provider = makeProcessProvider(
    {
      id,
      title,
      install: config.install ?? `Install "${program}", or correct the command of the provider "${id}".`,
      capabilities: capabilities(config),
      program,
      command: (request) => {
        const filled = commandOf(config, request)
        return {
          args: filled._tag === "Arguments" ? filled.args : [],
          stdin: config.prompt === "stdin" ? request.prompt : null
        }
      },
      decoder: (request) => decoder(config, request),
      politeSignal: (cause) => (cause === "cancel" || cause === "interrupt" ? "SIGINT" : "SIGTERM"),
      sessionIdFor: config.session?.assignedBy === "caller" ? uuidFor : () => null,
      isSessionId,
      location: () => null,
      inspectSession: () => Effect.succeed(unknown(`only ${title} itself can tell`))
    },
    machine
  )
  return {
    ...provider,
    start: (request) => {
      const why = refusal(config, title, request)
      return why === null
        ? provider.start(request)
        : Effect.fail(
            new Provider.ProviderStartFailed({
              provider: id,
              operation: "fill the command in",
              cause: new Error(why)
            })
          )
    }
  }
}

/** Why this program cannot be started like this: nothing that was asked for is left out without a word. */
const refusal = (config: CommandConfig, title: string, request: Provider.StartRequest): string | null => {
  const { conversation, model, thinking } = request
  const start = placesIn(config.command)
  if (conversation._tag !== "New" && config.resume === undefined) return `${title} cannot continue a conversation`
  if (conversation._tag === "Fork") return `${title} cannot copy a conversation`
  if (model !== null && !start.has("model")) return `${title} cannot be told a model; leave --model out`
  if (thinking !== null && !start.has("thinking")) return `${title} has no thinking levels; leave --thinking out`
  if (request.addDirs.length > 0) return `${title} takes no further folders (--add-dir)`
  const filled = commandOf(config, request)
  return filled._tag === "Refused" ? filled.why : null
}

const commandOf = (config: CommandConfig, request: Provider.StartRequest): Filled => {
  const { conversation } = request
  const [, ...template] = (conversation._tag === "New" ? undefined : config.resume) ?? config.command
  return fill(
    template,
    {
      prompt: request.prompt,
      session: conversation._tag === "Fork" ? null : conversation.id,
      model: request.model,
      thinking: request.thinking,
      permission: config.permissions[request.permission],
      cwd: request.cwd
    },
    request.args
  )
}

const capabilities = (config: CommandConfig): Capabilities.Capabilities => {
  const { output, permissions, prompt, resume, session, thinking } = config
  const start = placesIn(config.command)
  const again = placesIn(resume ?? [])
  const kept = (place: "model" | "thinking" | "permission"): Capabilities.Kept =>
    again.has(place) ? "must_be_passed" : start.has(place) ? "kept" : "not_supported"
  return {
    continuation: resume === undefined ? "none" : "provider_session",
    idAssignment: session?.assignedBy ?? "provider",
    idKnown: session?.assignedBy === "caller" ? "before_spawn" : session === undefined ? "end_only" : "first_event",
    fork: false,
    modelOnResume: kept("model"),
    thinkingOnResume: kept("thinking"),
    permissionOnResume: start.has("permission") ? kept("permission") : "kept",
    thinkingLevels: thinking,
    permissions,
    cwdBound: config.cwdBound,
    concurrentGuard: false,
    // Not known, so taken to be so.
    survivesKill: true,
    promptChannel: prompt,
    reportsModel: output.format === "json" && output.model !== undefined,
    modelChangeCompacts: false,
    screen: false,
    verifiedWith: "configuration"
  }
}
