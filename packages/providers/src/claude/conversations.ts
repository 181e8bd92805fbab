/**
 * The conversations in claude's storage, as import finds them: `projects/<folder>/<id>.jsonl`. Observed on 2.1.332: rows of
 * the conversation carry a `uuid`; an answer is complete once a row of the assistant's has a `stop_reason` other than
 * `tool_use`; what the person interrupted ends with a row of the user's, `[Request interrupted by user...]`; an error of
 * the API is an assistant's row marked `isApiErrorMessage`. `sessions/<pid>.json` names the conversation that a process has
 * open, and is left behind by one that was killed.
 */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { FoundConversation, State } from "@alluka/core"
import * as Effect from "effect/Effect"
import {
  answered,
  at,
  called,
  conversation,
  conversationsIn,
  prompted,
  returned,
  type Tale,
  untold
} from "../conversations/tale.js"
import { type JsonObject, list, moment, number, object, parseObject, text } from "../json.js"
import type { Row } from "../process/jsonLines.js"

const permissions: Readonly<Record<string, State.Permission>> = {
  default: "read",
  plan: "read",
  acceptEdits: "edit",
  bypassPermissions: "full"
}

/** Takes one row in. */
export const step = (tale: Tale, { value }: Row): Tale => {
  if (value === null || text(value.uuid) === null || value.isSidechain === true || value.isMeta === true) return tale
  if (value.type === "attachment") return ofAttachment(tale, object(value.attachment))
  if (value.type !== "user" && value.type !== "assistant") return tale
  const time = moment(value.timestamp)
  const known = at(
    {
      ...tale,
      id: tale.id ?? text(value.sessionId),
      cwd: tale.cwd ?? text(value.cwd),
      thinking: text(value.effort) ?? tale.thinking,
      permission: permissions[text(value.permissionMode) ?? ""] ?? tale.permission
    },
    time
  )
  return value.type === "user" ? ofUser(known, value) : ofAssistant(known, value, time ?? 0)
}

/** The model is named before the first answer. */
const ofAttachment = (tale: Tale, attachment: JsonObject): Tale =>
  attachment.type === "model" ? { ...tale, model: text(object(attachment.identity).modelId) ?? tale.model } : tale

/** claude's own words in the user's role: commands and their output. */
const isOwn = (said: string): boolean => /^\s*(?:<(?:command|local-command|bash)-|Caveat: )/.test(said)

const ofUser = (tale: Tale, row: JsonObject): Tale => {
  const { content } = object(row.message)
  const parts = list(content).map(object)
  const results = parts.filter(({ type }) => type === "tool_result")
  const after = results.reduce<Tale>((told, part) => returned(told, text(part.tool_use_id) ?? ""), tale)
  const said =
    text(content) ??
    parts
      .map((part) => (part.type === "text" ? (text(part.text) ?? "") : ""))
      .join("\n")
      .trim()
  if (said.startsWith("[Request interrupted by user")) return { ...after, stopped: "the person interrupted it" }
  return said === "" || isOwn(said) ? after : prompted(after, said)
}

const ofAssistant = (tale: Tale, row: JsonObject, time: number): Tale => {
  const message = object(row.message)
  const model = text(message.model)
  // `<synthetic>` is no model: claude wrote the row itself.
  const named = model === null || model.startsWith("<") ? tale : { ...tale, model }
  const parts = list(message.content).map(object)
  if (row.isApiErrorMessage === true) {
    return { ...named, stopped: `it ended with an error: ${text(parts[0]?.text) ?? "unknown"}` }
  }
  return parts.reduce<Tale>(
    (told, part) =>
      part.type === "tool_use"
        ? called(told, text(part.id) ?? "", text(part.name) ?? "tool", time)
        : part.type === "text" && message.stop_reason !== "tool_use"
          ? answered(told)
          : told,
    named
  )
}

/** The conversations that a process noted as its own, by their ids: whether one that lives has it open. */
const noted = (home: string): Effect.Effect<ReadonlyMap<string, boolean>> =>
  Effect.promise(async () => {
    const folder = join(home, "sessions")
    const names = await readdir(folder).catch(() => [])
    const entries = await Promise.all(
      names.map(async (name) => parseObject(await readFile(join(folder, name), "utf8").catch(() => "")))
    )
    const found = new Map<string, boolean>()
    for (const entry of entries) {
      const [pid, id] = [number(entry?.pid), text(entry?.sessionId)]
      if (pid !== null && id !== null) found.set(id, found.get(id) === true || isAlive(pid))
    }
    return found
  })

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Conversations under a configuration directory that were active since a time. */
export const conversations = (home: string, since: number): Effect.Effect<ReadonlyArray<FoundConversation>> =>
  Effect.gen(function* () {
    const inUse = yield* noted(home)
    return yield* conversationsIn(join(home, "projects"), {
      depth: 1,
      fits: /^[0-9a-f-]{36}\.jsonl$/,
      since,
      initial: untold,
      step,
      // One that ended by itself took its note away, and an older claude made none.
      found: (tale, file) => conversation(tale, file, { location: home, inUse: inUse.get(tale.id ?? "") ?? "unknown" })
    })
  })
