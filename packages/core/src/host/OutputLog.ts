/** The port to the output files: one bounded, append-only, redacted file a run. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Time } from "../checkpoint/Checkpoint.js"
import type { CheckpointId } from "../checkpoint/ids.js"

export interface OutputLine {
  readonly at: Time
  readonly from: "stdout" | "stderr"
  /** Redacted. */
  readonly text: string
}

export class OutputLog extends Context.Tag("@alluka/core/OutputLog")<
  OutputLog,
  {
    /** Appends lines; never fails a run: what could not be written is counted and told once. */
    readonly append: (id: CheckpointId, lines: ReadonlyArray<OutputLine>) => Effect.Effect<void>
    /** The lines kept of a run, oldest first, at most the last `tail`. */
    readonly read: (id: CheckpointId, tail: number | null) => Stream.Stream<OutputLine>
    /** The lines that come from now on, after the last `tail` (default 0, `null` for all) of those that are there. */
    readonly follow: (id: CheckpointId, tail?: number | null) => Stream.Stream<OutputLine>
    readonly remove: (id: CheckpointId) => Effect.Effect<void>
  }
>() {}
