/** What a task run is asked for, what it is given to talk with, and how it came out. */
import type * as Effect from "effect/Effect"
import type { Checkpoint, LoopProgress } from "../checkpoint/Checkpoint.js"
import type { NewEvent, StoredEvent } from "../checkpoint/Event.js"
import type { Consent, Decision } from "../resume/Decision.js"
import type { LiveRun } from "../run/Runs.js"
import type { WatchLimits } from "../run/watchdog.js"
import type { Blocked } from "./blocked.js"
import type { Defaults } from "./phases.js"
import type { TaskId } from "./Task.js"
import type { GateAnswer, GateGivenUp } from "./taskSequel.js"

/** What becomes of the folder when a task's gate is given up. `ask`: who cannot be asked keeps it. */
export type RevertMode = "ask" | "keep" | "revert"

export interface LoopRequest {
  readonly cwd: string
  readonly agent: string
  /** `one`: a single task; `loop`: one after the other. */
  readonly kind: "one" | "loop"
  /** This task, whatever is saved or first. */
  readonly taskId: TaskId | null
  /** Runs that may end in this loop; `null`: as many as there are tasks. */
  readonly maxTasks: number | null
  /** What to do with a saved session: go on, leave it, or ask. */
  readonly resume: "yes" | "no" | "ask"
  readonly consents: ReadonlySet<Consent>
  /** Where the provider no longer has the conversation. */
  readonly onLostSession: "fresh" | "refuse"
  readonly stopOnFailure: boolean
  readonly continueAtReset: boolean
  readonly revert: RevertMode
  readonly defaults: Defaults
  readonly limits: WatchLimits
}

/** A line of the loop that belongs to no stored checkpoint. */
export interface UnstoredEvent extends NewEvent {
  readonly seq: null
  readonly checkpointId: string | null
  readonly taskId: string | null
}

export type LoopEvent = StoredEvent | UnstoredEvent

export interface Followed {
  /** As it ended; `null`: that is not known, since the run was taken over or its end could not be stored. */
  readonly checkpoint: Checkpoint | null
  /** This process was told to stop. */
  readonly signalled: boolean
}

/** A failure of the caller's own: the name of what happened, and a sentence. */
export interface HandFailure {
  readonly _tag: string
  readonly message: string
}

/** What the caller lends to a loop. */
export interface LoopHands<E> {
  /** Asks for the yes that a decision lacks; `null`: nobody can be asked. */
  readonly ask: ((decision: Decision) => Effect.Effect<boolean>) | null
  /** Asks what is to become of the work when a gate is given up; `null`: nobody can be asked. */
  readonly gateGaveUp: ((facts: GateGivenUp) => Effect.Effect<GateAnswer>) | null
  /** Who does what nobody names a provider for; asked for only then. */
  readonly provider: Effect.Effect<string, E>
  /** Shows a run until its end is stored. */
  readonly follow: (run: LiveRun, decision: Decision | null) => Effect.Effect<Followed, E>
  /** Shows what happens between runs. */
  readonly tell: (event: LoopEvent) => Effect.Effect<void>
  /** A decision by which nothing starts, or that no run was there to carry. */
  readonly decided: (decision: Decision) => Effect.Effect<void>
}

export interface LoopEnd {
  /**
   * `done`: nothing more was to be done; `stopped`: it was asked to stop; `refused`: by the decision; `blocked`: it cannot
   * go on; `signalled`: this process was told to stop; `unknown`: how its last run ended is not known.
   */
  readonly outcome: "done" | "stopped" | "refused" | "blocked" | "signalled" | "unknown"
  /** The last decision about the saved session, if there was one. */
  readonly decision: Decision | null
  readonly blocked: Blocked | null
  /** The runs of this process in this loop, as they ended. */
  readonly runs: ReadonlyArray<Checkpoint>
  /** The counters as they are now; `null`: no loop was begun. */
  readonly loop: LoopProgress | null
}

/** How each task stood at last: of several runs of one, only the latest counts. In the order in which they ended. */
export const latestRuns = (runs: ReadonlyArray<Checkpoint>): ReadonlyArray<Checkpoint> =>
  runs.filter(({ taskId }, at) => taskId === null || !runs.slice(at + 1).some((later) => later.taskId === taskId))
