/** The schemas of a decision: as an event's payload, and as a preview. */
import {
  Alternative,
  Consent,
  Continuity,
  DecisionReason,
  DecisionScope,
  DecisionStatus
} from "../../resume/Decision.js"
import * as Schema from "../../Schema.js"
import { head, IsoTime, Numeric, NumericOrNull, Text, TextOrNull, TimeOrNull } from "./parts.js"

export const DecisionPayload = Schema.Struct({
  status: DecisionStatus,
  scope: DecisionScope,
  reason: DecisionReason,
  cause: Schema.NullOr(DecisionReason),
  checkpoint_id: TextOrNull,
  task_id: TextOrNull,
  message: Text,
  detail: Text,
  keeps: Schema.Array(Text),
  loses: Schema.Array(Text),
  warnings: Schema.Array(Text),
  continuity: Continuity,
  facts: Schema.Struct({
    age_ms: NumericOrNull,
    max_age_ms: NumericOrNull,
    resets_at: TimeOrNull,
    owner: Schema.NullOr(
      Schema.Struct({
        pid: Numeric,
        host: Text,
        since: TimeOrNull,
        liveness: Schema.Literal("alive", "dead", "unknown")
      })
    ),
    survivor_pid: NumericOrNull,
    path: TextOrNull,
    phase: NumericOrNull,
    attempts: NumericOrNull,
    max_attempts: NumericOrNull,
    provider: TextOrNull,
    provider_session: TextOrNull,
    model: TextOrNull,
    thinking: TextOrNull,
    permission: TextOrNull,
    holder: TextOrNull,
    tip: TextOrNull,
    tasks_completed: NumericOrNull
  }),
  requires: Schema.Array(Consent),
  alternatives: Schema.Array(Alternative),
  evaluated_at: IsoTime,
  basis: Schema.Literal("record", "probed")
})
export type DecisionPayload = typeof DecisionPayload.Type

export const ResumePreview = Schema.Struct({ ...head("resume_preview"), ...DecisionPayload.fields })
export type ResumePreview = typeof ResumePreview.Type
