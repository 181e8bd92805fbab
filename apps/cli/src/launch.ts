/** What a run that another process started has been told, and must tell. */
import type { Decision, Ids, Runs } from "@alluka/core"
import type * as Effect from "effect/Effect"

export interface Launch {
  /** The id that was promised to the launcher. */
  readonly id: Ids.CheckpointId
  readonly prompt: string | null
  readonly started: (live: Runs.LiveRun) => Effect.Effect<void>
  /** The reset of a usage limit is waited for before anything is started. */
  readonly waiting: (id: Ids.CheckpointId, until: number) => Effect.Effect<void>
  readonly refused: (decision: Decision.Decision) => Effect.Effect<void>
}
