/** A run as a workflow of five activities on a single runner: an engine, which replays and does more than a store does. */
import { join } from "node:path"
import { moment, progressCommits } from "../runs/work.mjs"

export const open = async (load, home) => {
  const { Effect, Layer, Logger, LogLevel, ManagedRuntime, Schema } = await load("effect")
  const { SqliteClient } = await load("@effect/sql-sqlite-node")
  const { Activity, Workflow } = await load("@effect/workflow")
  const { ClusterWorkflowEngine, SingleRunner } = await load("@effect/cluster")
  const Run = Workflow.make({
    name: "Run",
    payload: { id: Schema.String },
    idempotencyKey: ({ id }) => id,
    success: Schema.Number
  })
  const work = Run.toLayer(() =>
    Effect.gen(function* () {
      let sum = 0
      for (let step = 1; step <= progressCommits; step += 1) {
        sum += yield* Activity.make({ name: `step ${step}`, success: Schema.Number, execute: Effect.succeed(step) })
      }
      return sum
    })
  )
  const runtime = ManagedRuntime.make(
    work.pipe(
      Layer.provideMerge(ClusterWorkflowEngine.layer),
      Layer.provideMerge(SingleRunner.layer({ runnerStorage: "memory" })),
      Layer.provideMerge(SqliteClient.layer({ filename: join(home, "workflow.db") })),
      Layer.provideMerge(Logger.minimumLogLevel(LogLevel.Error))
    )
  )
  let number = 0
  const runs = (count) =>
    Effect.gen(function* () {
      const begun = moment()
      for (let index = 0; index < count; index += 1) {
        number += 1
        yield* Run.execute({ id: `run-${number}` })
      }
      return { runMs: (moment() - begun) / count, progressMs: [] }
    })
  // The runner takes its shards a moment after it began.
  await runtime.runPromise(Effect.sleep(1500))
  return { doRuns: (count) => runtime.runPromise(runs(count)), close: () => runtime.dispose() }
}
