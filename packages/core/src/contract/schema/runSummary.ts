/** The schema of the last line of a run's stream. */
import { State } from "../../checkpoint/state.js"
import * as Schema from "../../Schema.js"
import { DecisionSummary, LoopDocument, ReasonDocument, UsageDocument } from "./checkpoint.js"
import { Count, CountOrNull, head, Text, TextOrNull } from "./parts.js"

const BlockedDocument = Schema.Struct({
  reason: Text,
  message: Text,
  detail: TextOrNull,
  task_id: TextOrNull,
  checkpoint_id: TextOrNull,
  next: Schema.Array(Schema.Struct({ title: Text, argv: Schema.Array(Text) })).annotations({
    description: "Commands without the program's name"
  })
})

export const RunSummary = Schema.Struct({
  ...head("run_summary"),
  checkpoint_id: TextOrNull,
  state: Schema.NullOr(State).annotations({ description: "null: nothing started, or how it ended is not known" }),
  reason: Schema.NullOr(ReasonDocument),
  decision: Schema.NullOr(DecisionSummary).annotations({ description: "The refusal, where nothing started" }),
  exit_code: Count.annotations({ description: "Of this program; the provider's is in reason" }),
  usage: Schema.NullOr(UsageDocument),
  denied: Count,
  elapsed_ms: CountOrNull,
  outcome: Schema.optional(Schema.Literal("done", "stopped", "refused", "blocked", "signalled", "unknown")).annotations(
    { description: "Of a task run: how its loop came out" }
  ),
  loop: Schema.optional(Schema.NullOr(LoopDocument)).annotations({ description: "Of a task run: its loop's counters" }),
  blocked: Schema.optional(Schema.NullOr(BlockedDocument)).annotations({
    description: "Of a task run: why it does not go on, and the commands that help"
  })
})
export type RunSummary = typeof RunSummary.Type
