/** The schemas of sessions and agents. */
import { State } from "../../checkpoint/state.js"
import * as Schema from "../../Schema.js"
import { CheckpointDocument } from "./checkpoint.js"
import { Count, CountOrNull, head, IsoTime, Text, TextOrNull } from "./parts.js"

const summary = {
  id: Text,
  agent: Text,
  title: Text.annotations({ description: "Of its newest run" }),
  provider: Text,
  model: TextOrNull,
  provider_session_id: TextOrNull,
  cwd: Text,
  state: State.annotations({ description: "Of its newest run" }),
  checkpoints: Count.annotations({ description: "Runs in it, every attempt counted" }),
  latest_checkpoint_id: Text,
  started_at: IsoTime,
  last_activity_at: IsoTime
}

export const SessionSummary = Schema.Struct(summary)
export type SessionSummary = typeof SessionSummary.Type

export const SessionDocument = Schema.Struct({
  ...head("session"),
  ...summary,
  items: Schema.Array(CheckpointDocument).annotations({ description: "Its runs, oldest first" })
})
export type SessionDocument = typeof SessionDocument.Type

export const SessionListDocument = Schema.Struct({
  ...head("session_list"),
  items: Schema.Array(SessionSummary),
  total: CountOrNull,
  next_cursor: TextOrNull
})
export type SessionListDocument = typeof SessionListDocument.Type

export const AgentSummary = Schema.Struct({
  agent: Text,
  sessions: Count,
  checkpoints: Count,
  running: Count,
  last_activity_at: IsoTime
})
export type AgentSummary = typeof AgentSummary.Type

export const AgentListDocument = Schema.Struct({ ...head("agent_list"), items: Schema.Array(AgentSummary) })
export type AgentListDocument = typeof AgentListDocument.Type
