/** The schemas of events as lines of a stream: one shape for all, one payload for each kind. */
import { EventKind } from "../../checkpoint/Event.js"
import { Origin, State } from "../../checkpoint/state.js"
import * as Schema from "../../Schema.js"
import { DecisionPayload } from "./decision.js"
import { Count, CountOrNull, head, IsoTime, NumericOrNull, Text, TextOrNull, TimeOrNull } from "./parts.js"

/** A payload with these fields where they apply, and others that later versions add. */
const payload = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields, { key: Schema.String, value: Schema.Unknown })

const optional = Schema.optional

const Setting = Schema.Struct({ requested: TextOrNull, actual: TextOrNull })

/** What each kind tells, besides what all lines carry. */
const payloads = {
  created: payload({
    origin: optional(Origin),
    provider: optional(Text),
    attempt: optional(Count),
    resumed_from: optional(TextOrNull)
  }),
  resume_decision: DecisionPayload,
  phase_entered: payload({ name: optional(Text), provider: optional(Text) }),
  provider_session: payload({ id: optional(Text), assigned_by: optional(Schema.Literal("caller", "provider")) }),
  model_reported: payload({
    model: optional(Setting),
    thinking: optional(Setting),
    permission: optional(TextOrNull),
    differs: optional(Schema.Boolean)
  }),
  message: payload({
    role: optional(Schema.Literal("assistant", "user")),
    id: optional(TextOrNull),
    text: optional(Text),
    truncated: optional(Schema.Boolean)
  }),
  tool_started: payload({
    id: optional(Text),
    name: optional(Text),
    summary: optional(Text),
    truncated: optional(Schema.Boolean)
  }),
  tool_finished: payload({
    id: optional(Text),
    ok: optional(Schema.Boolean),
    summary: optional(Text),
    truncated: optional(Schema.Boolean)
  }),
  denied: payload({ tool: optional(Text), detail: optional(Text) }),
  usage: payload({ input_tokens: optional(Count), output_tokens: optional(Count), cost_usd: optional(NumericOrNull) }),
  retrying: payload({ until: optional(TimeOrNull) }),
  notice: payload({ text: optional(Text) }),
  waiting_for_reset: payload({ resets_at: optional(TimeOrNull) }),
  gate_started: payload({ command: optional(Schema.Array(Text)) }),
  gate_finished: payload({ ok: optional(Schema.Boolean), exit_code: optional(NumericOrNull) }),
  state_changed: payload({ from: optional(State), to: optional(State), reason: optional(TextOrNull) }),
  task_selected: payload({ reason: optional(TextOrNull) }),
  blocked: payload({ reason: optional(TextOrNull) }),
  renamed: payload({ title: optional(Text) }),
  dismissed: payload({}),
  removed: payload({}),
  cancel_requested: payload({ by: optional(Text) })
} satisfies Readonly<Record<EventKind, Schema.Schema.AnyNoContext>>

const envelope = {
  seq: CountOrNull.annotations({ description: "Store-wide number; null: not stored" }),
  timestamp: IsoTime,
  checkpoint_id: TextOrNull,
  task_id: TextOrNull,
  phase: CountOrNull,
  message: Text
}

const line = <const Kind extends EventKind>(kind: Kind) =>
  Schema.Struct({ ...head(kind), ...envelope, payload: payloads[kind] })

/** The schema of each kind of stored event. */
export const eventLineSchemas: Readonly<Record<EventKind, Schema.Schema.AnyNoContext>> = {
  created: line("created"),
  resume_decision: line("resume_decision"),
  phase_entered: line("phase_entered"),
  provider_session: line("provider_session"),
  model_reported: line("model_reported"),
  message: line("message"),
  tool_started: line("tool_started"),
  tool_finished: line("tool_finished"),
  denied: line("denied"),
  usage: line("usage"),
  retrying: line("retrying"),
  notice: line("notice"),
  waiting_for_reset: line("waiting_for_reset"),
  gate_started: line("gate_started"),
  gate_finished: line("gate_finished"),
  state_changed: line("state_changed"),
  task_selected: line("task_selected"),
  blocked: line("blocked"),
  renamed: line("renamed"),
  dismissed: line("dismissed"),
  removed: line("removed"),
  cancel_requested: line("cancel_requested")
}

/** The shape that all lines have, whatever their kind. */
export const EventLine = Schema.Struct({
  kind: EventKind,
  version: Schema.Literal(1),
  ...envelope,
  payload: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})
export type EventLine = typeof EventLine.Type

export const HeartbeatLine = Schema.Struct({
  ...head("heartbeat"),
  ...envelope,
  seq: Schema.Null,
  payload: payload({ elapsed_ms: optional(Count), idle_ms: optional(Count) })
})
export type HeartbeatLine = typeof HeartbeatLine.Type

export const TimelineDocument = Schema.Struct({
  ...head("timeline"),
  checkpoint_id: Text,
  items: Schema.Array(EventLine)
})
export type TimelineDocument = typeof TimelineDocument.Type
