/**
 * The threads in codex's storage, as import finds them: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`. Observed on 0.171.0:
 * a turn begins with `task_started` and ends with `task_complete`, whose `last_agent_message` is empty where it ended with
 * an error, or with `turn_aborted`; a killed one has neither.
 */
import { join } from "node:path"
import type { FoundConversation, State } from "@alluka/core"
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

const permissions: Readonly<Record<string, State.Permission>> = {
  "read-only": "read",
  "workspace-write": "edit",
  "danger-full-access": "full"
}

/** Takes one row in. */
export const step = (tale: Tale, { value }: Row): Tale => {
  if (value === null) return tale
  const payload = object(value.payload)
  const time = moment(value.timestamp)
  const known = at(tale, time)
  switch (value.type) {
    case "session_meta":
      return { ...known, id: text(payload.id), cwd: text(payload.cwd) }
    case "turn_context":
      return {
        ...known,
        model: text(payload.model) ?? known.model,
        thinking: text(payload.effort) ?? known.thinking,
        permission:
          permissions[text(object(payload.sandbox_policy).type) ?? text(payload.sandbox_policy) ?? ""] ??
          known.permission
      }
    case "event_msg":
      return ofEvent(known, payload)
    case "response_item":
      return ofItem(known, payload, time ?? 0)
    default:
      return known
  }
}

const ofEvent = (tale: Tale, payload: JsonObject): Tale => {
  switch (payload.type) {
    case "task_started":
    case "turn_started":
      return { ...tale, stopped: "its last turn has no end" }
    case "task_complete":
    case "turn_complete":
      return text(payload.last_agent_message) === null
        ? { ...tale, stopped: "its last turn ended with an error" }
        : { ...answered(tale), open: [] }
    case "turn_aborted":
      return { ...tale, stopped: "the person interrupted it" }
    default:
      return tale
  }
}

const ofItem = (tale: Tale, payload: JsonObject, time: number): Tale => {
  const id = text(payload.call_id) ?? ""
  switch (payload.type) {
    case "message": {
      if (payload.role !== "user") return tale
      const said = list(payload.content)
        .map((part) => text(object(part).text) ?? "")
        .join("\n")
        .trim()
      // codex puts rows of its own into the user's role.
      return said === "" || /^(?:<|# AGENTS\.md)/.test(said) ? tale : prompted(tale, said)
    }
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
      return called(tale, id, text(payload.name) ?? "shell", time)
    case "function_call_output":
    case "custom_tool_call_output":
      return returned(tale, id)
    default:
      return tale
  }
}

/** Threads under CODEX_HOME that were active since a time. */
export const conversations = (home: string, since: number): Effect.Effect<ReadonlyArray<FoundConversation>> =>
  conversationsIn(join(home, "sessions"), {
    depth: 3,
    fits: /^rollout-.*\.jsonl$/,
    since,
    initial: untold,
    step,
    found: (tale, file) => conversation(tale, file, { location: home, inUse: "unknown" })
  })
