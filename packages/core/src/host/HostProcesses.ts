/** The port to the processes of this machine. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ProcessIdentity } from "../checkpoint/Checkpoint.js"
import type { CheckpointId } from "../checkpoint/ids.js"

/** The name of the environment variable that marks the processes of a run with its checkpoint's id. */
export const runMark = "ALLUKA_RUN"

/** A process of a run that is still alive although its owner is gone. */
export interface Survivor extends ProcessIdentity {
  readonly checkpointId: CheckpointId
  /** Name of the program, for people. */
  readonly command: string
}

/** How long the processes that a person told us to end are given, ms. */
export const survivorGraceMs = 5000

export type Signal = "SIGINT" | "SIGTERM" | "SIGKILL" | "SIGHUP"

export class HostProcesses extends Context.Tag("@alluka/core/HostProcesses")<
  HostProcesses,
  {
    /** The process with this number as it is now; none if there is no such process (a zombie counts as none). */
    readonly identify: (pid: number) => Effect.Effect<Option.Option<ProcessIdentity>>
    /** Live processes of this user that carry the mark of one of the checkpoints; never the asking process or its ancestors. */
    readonly survivors: (marks: ReadonlyArray<CheckpointId>) => Effect.Effect<ReadonlyArray<Survivor>>
    /** Sends a signal if the process is still the one meant; says whether it was sent. */
    readonly signal: (process: ProcessIdentity, signal: Signal) => Effect.Effect<boolean>
    /**
     * Ends every marked process: TERM, then KILL after `graceMs`, looking again until none is left or the bound is used up.
     * Returns what is left.
     */
    readonly endAll: (marks: ReadonlyArray<CheckpointId>, graceMs: number) => Effect.Effect<ReadonlyArray<Survivor>>
  }
>() {}
