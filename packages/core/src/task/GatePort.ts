/** The port that runs a gate's command on this machine. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { GateCommand } from "../checkpoint/GateCommand.js"
import type { CheckpointId } from "../checkpoint/ids.js"

/** The command could not be started at all: no such program, no such folder. */
export class GateNotStarted extends Data.TaggedError("GateNotStarted")<{
  readonly command: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `the gate "${this.command}" could not be started: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

export interface GateRun {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  readonly elapsedMs: number
  /** The beginning of what it printed (stdout and stderr as they came), not redacted, ending with a line's end if cut. */
  readonly head: string
  /** The end of it, beginning with a line's beginning; empty where `head` is everything. */
  readonly tail: string
  /** Bytes between the two that were not kept. */
  readonly omittedBytes: number
}

export class Gates extends Context.Tag("@alluka/core/Gates")<
  Gates,
  {
    /**
     * Runs the command in a folder to its end. Its processes carry the run's mark; all of them are ended when it has ended,
     * when its time is over, and when this is interrupted.
     */
    readonly run: (
      checkpointId: CheckpointId,
      command: GateCommand,
      cwd: string
    ) => Effect.Effect<GateRun, GateNotStarted>
  }
>() {}
