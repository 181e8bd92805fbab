/**
 * Commits events: `writer HOME COUNT PAUSE_MS` creates a run, prints `ready`, waits for a line, then commits COUNT progress
 * writes with one event each, and ends it. Prints `done`.
 */
import { CheckpointStore } from "@alluka/core"
import * as Effect from "effect/Effect"
import { at, createRunning, endAs, newEvent } from "../fixtures.js"
import { args, nextLine, print, runOnStore } from "./childProgram.js"

const [home = "", count = "1", pauseMs = "0"] = args

runOnStore(
  home,
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const run = yield* createRunning()
    yield* print("ready")
    yield* nextLine
    for (let n = 1; n <= Number(count); n++) {
      const write = store.progress({
        id: run.id,
        owner: run.owner.id,
        taskId: null,
        progress: run.progress,
        at: at + n,
        events: [newEvent("message", String(n))],
        durability: "normal",
        confirmsResumeOf: null
      })
      // Progress waits for a moment only; an owner keeps what it could not write and tries again.
      yield* Effect.retry(write, { while: ({ _tag }) => _tag === "StoreLocked" })
      if (Number(pauseMs) > 0) yield* Effect.sleep(Number(pauseMs))
    }
    yield* endAs(run, "completed")
    yield* print("done")
  })
)
