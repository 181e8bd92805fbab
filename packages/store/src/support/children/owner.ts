/** Owns runs: `owner HOME [COUNT]` creates running checkpoints, prints `<owner> <id>...`, and stays until a line comes. */

import * as Effect from "effect/Effect"
import { createRunning } from "../fixtures.js"
import { args, nextLine, print, runOnStore } from "./childProgram.js"

const [home = "", count = "1"] = args

runOnStore(
  home,
  Effect.gen(function* () {
    const made = yield* Effect.replicateEffect(createRunning(), Number(count))
    yield* print([made[0]?.owner.id, ...made.map(({ id }) => id)].join(" "))
    yield* nextLine
  })
)
