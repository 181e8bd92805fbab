/**
 * The sessions in gemini's storage, as import finds them. Observed on 0.61.0: a message is written when it is complete, a
 * tool call only once the tool is done, so a session stopped in the middle where its last message is the person's, or is an
 * answer that called tools and said nothing after them. The folder is in `.project_root` beside the session files.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { FoundConversation } from "@alluka/core"
import type * as Effect from "effect/Effect"
import {
  afterTool,
  answered,
  at,
  conversation,
  conversationsIn,
  prompted,
  type Tale,
  untold
} from "../conversations/tale.js"
import { type JsonObject, list, moment, object, text } from "../json.js"
import type { Row } from "../process/jsonLines.js"
import { contentOf, isAnswer, isPrompt } from "./sessionFiles.js"

/** The messages that gemini would go on from, in their order, and the id of the session. */
export interface Rows {
  readonly id: string | null
  readonly messages: ReadonlyMap<string, JsonObject>
}

export const fresh: Rows = { id: null, messages: new Map() }

/** Takes one row in, as gemini reads it: messages, `$set` that replaces them, and `$rewindTo` that takes them back. */
export const step = (rows: Rows, { value }: Row): Rows => {
  if (value === null) return rows
  const rewind = text(value.$rewindTo)
  if (rewind !== null) {
    const kept = [...rows.messages]
    const from = kept.findIndex(([id]) => id === rewind)
    return { ...rows, messages: new Map(kept.slice(0, Math.max(0, from))) }
  }
  const id = text(value.id)
  if (id !== null) {
    // In place: files hold thousands of them. Each walk begins with a map of its own.
    const added =
      rows.messages === fresh.messages ? new Map<string, JsonObject>() : (rows.messages as Map<string, JsonObject>)
    return { ...rows, messages: added.set(id, value) }
  }
  const set = object(value.$set)
  return {
    id: rows.id ?? (text(value.projectHash) === null ? null : text(value.sessionId)),
    messages: Array.isArray(set.messages)
      ? new Map(list(set.messages).map((each) => [text(object(each).id) ?? "", object(each)]))
      : rows.messages
  }
}

/** What the messages tell. */
export const told = ({ id, messages }: Rows, cwd: string | null): Tale =>
  [...messages.values()].reduce<Tale>(
    (tale, message) => {
      const known = at(tale, moment(message.timestamp))
      if (message.type === "user") {
        return isPrompt(message) ? prompted(known, contentOf(message.content).trim()) : known
      }
      if (!isAnswer(message)) return known
      const named = { ...known, model: text(message.model) ?? known.model }
      return contentOf(message.content).trim() === "" ? { ...named, stopped: afterTool } : answered(named)
    },
    { ...untold, id, cwd }
  )

const rootOf = (path: string): string | null => {
  try {
    return readFileSync(join(dirname(dirname(path)), ".project_root"), "utf8").trim()
  } catch {
    return null
  }
}

/** Sessions under a configuration directory that were active since a time. */
export const conversations = (home: string, since: number): Effect.Effect<ReadonlyArray<FoundConversation>> =>
  conversationsIn(join(home, "tmp"), {
    depth: 2,
    fits: /^session-.*\.jsonl$/,
    since,
    initial: fresh,
    step,
    found: (rows, file) => conversation(told(rows, rootOf(file.path)), file, { location: home, inUse: "unknown" })
  })
