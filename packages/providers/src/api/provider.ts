/**
 * A server with OpenAI's chat completions as a provider: a conversation without tools. It runs in this process, and the
 * conversation is ours: every message is in our transcript before anything that follows from it happens, and a resume
 * sends the transcript again.
 */
import { type Capabilities, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import type { Env } from "../processProvider.js"
import { type ApiConfig, keyVariableOf } from "./config.js"
import { converse } from "./conversation.js"
import { inspectTranscript, isSessionId, sessionIdFor } from "./transcript.js"

export interface ApiMachine {
  readonly env: Env
  /** The folder of the transcripts. */
  readonly transcripts: string
  /** What of a message may be written down. */
  readonly redact: (text: string) => string
}

/** Makes the provider of a configured server. The key is read from the environment and is kept nowhere. */
export const makeApiProvider = (id: string, config: ApiConfig, machine: ApiMachine): Provider.Provider => {
  const { env, redact, transcripts } = machine
  const variable = keyVariableOf(config)
  const keyNow = (): string | null => (variable === null ? null : (env[variable] ?? ""))
  const objection = (): string | null =>
    keyNow() === "" ? `the key of ${id} is not set: put it into the environment variable ${variable}` : null
  return {
    id,
    title: config.title ?? `${new URL(config.baseUrl).host} (API)`,
    install: `Set the address of a server with OpenAI's chat completions for the provider "${id}".`,
    capabilities: capabilities(config),
    detect: Effect.succeed(Provider.Availability.Installed({ command: config.baseUrl, version: null })),
    auth: Effect.sync(() => {
      const key = keyNow()
      return key === null ? "unknown" : key === "" ? "absent" : "present"
    }),
    objection,
    sessionIdFor,
    isSessionId,
    start: (request) => {
      const { conversation } = request
      const ids = conversation._tag === "Fork" ? [conversation.from, conversation.id] : [conversation.id]
      const malformed = ids.find((each) => each !== null && !isSessionId(each))
      const why = malformed == null ? objection() : `"${malformed}" cannot be a session id of ${id}`
      return why === null
        ? converse({ config, request, redact, folder: transcripts, key: keyNow() })
        : Effect.fail(
            new Provider.ProviderStartFailed({ provider: id, operation: "check the request", cause: new Error(why) })
          )
    },
    inspectSession: (session) => inspectTranscript(session.location ?? transcripts, session.id),
    location: Effect.succeed(transcripts)
  }
}

const capabilities = (config: ApiConfig): Capabilities.Capabilities => ({
  continuation: "host_transcript",
  idAssignment: "caller",
  idKnown: "before_spawn",
  fork: true,
  modelOnResume: "must_be_passed",
  thinkingOnResume: "must_be_passed",
  // It has no tools, so there is nothing to permit.
  permissionOnResume: "kept",
  thinkingLevels: config.thinking,
  permissions: { read: "no tools", edit: "no tools", full: "no tools" },
  cwdBound: false,
  concurrentGuard: false,
  survivesKill: false,
  promptChannel: "stdin",
  reportsModel: true,
  modelChangeCompacts: false,
  screen: false,
  verifiedWith: "OpenAI chat completions"
})
