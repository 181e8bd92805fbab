/** Another program in the way: `locker DATABASE` holds BEGIN EXCLUSIVE, prints `locked`, and lets go when a line comes. */
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import { args, nextLine, print } from "./childProgram.js"

const [path = "", holdMs] = args
const database = new Sqlite(path)
database.exec("BEGIN EXCLUSIVE")
const done = holdMs === undefined ? nextLine : Effect.promise(() => new Promise((r) => setTimeout(r, Number(holdMs))))
void Effect.runPromise(Effect.zipRight(print("locked"), done)).then(() => {
  database.exec("ROLLBACK")
  database.close()
  process.exit(0)
})
