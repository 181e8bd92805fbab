/** Opens a store and creates one run: `starter HOME` prints the id and where the store is, and what was moved aside. */
import * as Effect from "effect/Effect"
import { StoreInfo } from "../../StoreInfo.js"
import { createRunning } from "../fixtures.js"
import { args, print, runOnStore } from "./childProgram.js"

const [home = "", umask] = args
if (umask !== undefined) process.umask(Number.parseInt(umask, 8))

runOnStore(
  home,
  Effect.gen(function* () {
    const info = yield* StoreInfo
    const { id } = yield* createRunning()
    yield* print(`created ${id} ${info.movedAside?.path ?? ""}`.trim())
  })
)
