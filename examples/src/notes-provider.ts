/**
 * A provider of your own: the facts about a program that prints JSON lines and keeps its conversations itself
 * (`notes-agent.mjs` beside this file). `custom-provider.ts` runs it.
 */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { RunEvent } from "@alluka/core"
import { Decoder, Json, type ProcessProvider, SessionIds } from "@alluka/providers"
import * as Effect from "effect/Effect"
import { home } from "./services.js"

const notes = resolve(home, "notes")
const { RunEvent: event } = RunEvent

export const notesAgent: ProcessProvider.ProcessProvider<null> = {
  id: "notes",
  title: "Notes agent",
  install: "It is a part of the examples.",
  capabilities: {
    continuation: "provider_session",
    idAssignment: "caller",
    idKnown: "before_spawn",
    fork: false,
    modelOnResume: "not_supported",
    thinkingOnResume: "not_supported",
    permissionOnResume: "fixed",
    thinkingLevels: [],
    permissions: { read: "read", edit: "read", full: "read" },
    cwdBound: false,
    concurrentGuard: false,
    survivesKill: false,
    promptChannel: "stdin",
    reportsModel: false,
    modelChangeCompacts: false,
    screen: false,
    verifiedWith: "notes-agent 1"
  },
  program: process.execPath,
  leadingArgs: [fileURLToPath(new URL("../src/notes-agent.mjs", import.meta.url)), notes],
  command: ({ conversation, prompt }) => ({
    args: [conversation._tag === "Continue" ? "--continue" : "--new", conversation.id ?? ""],
    stdin: prompt
  }),
  decoder: () => ({
    initial: null,
    line: Decoder.jsonLine((state, line) => [state, said(line)]),
    end: () => []
  }),
  politeSignal: () => "SIGTERM",
  sessionIdFor: SessionIds.uuidFor,
  isSessionId: SessionIds.isUuid,
  location: () => notes,
  inspectSession: ({ id }) =>
    Effect.sync(() => {
      const path = join(notes, `${id}.txt`)
      const presence = existsSync(path) ? "present" : "absent"
      return { presence, path, detail: null, lastRowAt: null, tailDamaged: false } as const
    })
}

const said = (line: Json.JsonObject): ReadonlyArray<RunEvent.RunEvent> => {
  const words = Json.text(line.text) ?? ""
  if (line.type === "open") return [event.SessionNamed({ id: words, location: notes, confirms: true })]
  if (line.type === "say") return [event.Message({ role: "assistant", id: null, text: words })]
  return line.type === "done" ? [event.Succeeded({ text: words })] : []
}
