/**
 * The sessions in pi's storage, as import finds them: `<folder>/<time>_<id>.jsonl`, a header and then a tree of rows. Observed
 * on 0.73.1 and 1.6.0: an answer is complete with `stopReason` `stop`; `error` and `aborted` say what else ended it.
 */
import type { FoundConversation } from "@alluka/core"
import type * as Effect from "effect/Effect"
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
import { type JsonObject, list, moment, object, text } from "../json.js"
import type { Row } from "../process/jsonLines.js"

/** Takes one row in. */
export const step = (tale: Tale, { value }: Row): Tale => {
  if (value === null) return tale
  const time = moment(value.timestamp)
  const known = at(tale, time)
  switch (value.type) {
    case "session":
      return { ...known, id: text(value.id), cwd: text(value.cwd) }
    case "model_change":
      return { ...known, model: text(value.modelId) ?? known.model }
    case "thinking_level_change":
      return { ...known, thinking: text(value.thinkingLevel) ?? known.thinking }
    case "message":
      return ofMessage(known, object(value.message), time ?? 0)
    default:
      return known
  }
}

const ofMessage = (tale: Tale, message: JsonObject, time: number): Tale => {
  switch (message.role) {
    case "user": {
      const said =
        text(message.content) ??
        list(message.content)
          .map((part) => text(object(part).text) ?? "")
          .join("\n")
      return prompted(tale, said.trim())
    }
    case "toolResult":
      return returned(tale, text(message.toolCallId) ?? "")
    case "assistant":
      return ofAnswer({ ...tale, model: text(message.model) ?? tale.model }, message, time)
    default:
      return tale
  }
}

const ofAnswer = (tale: Tale, message: JsonObject, time: number): Tale => {
  switch (message.stopReason) {
    case "stop":
      return answered(tale)
    case "error":
      return { ...tale, stopped: `it ended with an error: ${text(message.errorMessage) ?? "unknown"}` }
    case "aborted":
      return { ...tale, stopped: "the person interrupted it" }
    case "length":
      return { ...tale, stopped: "its last answer was cut at the model's limit" }
    default:
      return list(message.content)
        .map(object)
        .filter(({ type }) => type === "toolCall")
        .reduce<Tale>((told, part) => called(told, text(part.id) ?? "", text(part.name) ?? "tool", time), tale)
  }
}

/** Sessions in a folder of pi's that were active since a time. */
export const conversations = (sessions: string, since: number): Effect.Effect<ReadonlyArray<FoundConversation>> =>
  conversationsIn(sessions, {
    depth: 1,
    fits: /_[\w.-]+\.jsonl$/,
    since,
    initial: untold,
    step,
    found: (tale, file) => conversation(tale, file, { location: sessions, inUse: "unknown" })
  })
