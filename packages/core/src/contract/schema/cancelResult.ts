/** The schema of what became of runs that were to be cancelled. */
import { State } from "../../checkpoint/state.js"
import * as Schema from "../../Schema.js"
import { ReasonDocument } from "./checkpoint.js"
import { head, Numeric, Text } from "./parts.js"

export const CancelOutcome = Schema.Literal(
  "cancelled",
  "ended_otherwise",
  "already_ended",
  "still_running",
  "owner_unknown"
)
export type CancelOutcome = typeof CancelOutcome.Type

const Processes = Schema.Array(Schema.Struct({ pid: Numeric, command: Text }))

export const CancelResultDocument = Schema.Struct({
  ...head("cancel_result"),
  items: Schema.Array(
    Schema.Struct({
      checkpoint_id: Text,
      outcome: CancelOutcome,
      state: State,
      reason: Schema.NullOr(ReasonDocument),
      ended_processes: Processes,
      left_processes: Processes
    })
  )
})
export type CancelResultDocument = typeof CancelResultDocument.Type
