/** The schema of the last line of a run's stream. */
import { State } from "../../checkpoint/state.js"
import * as Schema from "../../Schema.js"
import { DecisionSummary, ReasonDocument, UsageDocument } from "./checkpoint.js"
import { Count, CountOrNull, head, TextOrNull } from "./parts.js"

export const RunSummary = Schema.Struct({
  ...head("run_summary"),
  checkpoint_id: TextOrNull,
  state: Schema.NullOr(State).annotations({ description: "null: nothing started, or how it ended is not known" }),
  reason: Schema.NullOr(ReasonDocument),
  decision: Schema.NullOr(DecisionSummary).annotations({ description: "The refusal, where nothing started" }),
  exit_code: Count.annotations({ description: "Of this program; the provider's is in reason" }),
  usage: Schema.NullOr(UsageDocument),
  denied: Count,
  elapsed_ms: CountOrNull
})
export type RunSummary = typeof RunSummary.Type
