/** Every run that a query fits, page by page: for views that are made of whole groups of runs. */
import { type Checkpoint, type CheckpointStore, Checkpoints, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"

/** Rows asked for in one go. */
const pageSize = 1000

export interface EveryRun {
  readonly items: ReadonlyArray<Checkpoint.Checkpoint>
  /** Damaged rows. */
  readonly skipped: number
}

export const everyRun = (
  query: Partial<CheckpointStore.ListQuery>
): Effect.Effect<EveryRun, CheckpointStore.StoreFailure | CheckpointStore.InvalidCursor, Checkpoints.Checkpoints> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const items: Array<Checkpoint.Checkpoint> = []
    let skipped = 0
    let cursor: string | null = null
    do {
      const page: CheckpointStore.CheckpointPage = yield* checkpoints.list(Scope.operator, {
        ...Checkpoints.everything,
        ...query,
        limit: pageSize,
        cursor
      })
      items.push(...page.items)
      skipped += page.skipped
      cursor = page.nextCursor
    } while (cursor !== null)
    return { items, skipped }
  })
