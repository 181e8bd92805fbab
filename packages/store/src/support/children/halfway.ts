/**
 * Dies in the middle of a migration: `halfway DATABASE WHICH STATEMENT` applies the migrations (`own`: ours; `two`: those
 * of the tests) and kills itself before their STATEMENT-th statement, counted from 1 with the pragmas at the end; `last`
 * is the one that would finish it. With fewer statements it ends well.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { openWriter } from "../../connection/live.js"
import type { Statements } from "../../connection/Statements.js"
import { migrations } from "../../migrations/index.js"
import { migrate } from "../../migrations/migrate.js"
import { twoSchemas } from "../schemas.js"
import { args } from "./childProgram.js"

const [path = "", which, at = "last"] = args

const die = (): never => {
  process.kill(process.pid, "SIGKILL")
  throw new Error("unreachable")
}

/** Counts what changes something, and what it is asked is answered. */
const mortal = (sql: Statements): Statements => {
  let count = 0
  return {
    ...sql,
    unprepared: (statement, ...params) => {
      const changes = /^(?!PRAGMA)|^PRAGMA \w+ =/.test(statement) && !statement.startsWith("SELECT")
      if (changes) count += 1
      if (changes && (at === "last" ? statement.startsWith("PRAGMA user_version =") : count === Number(at))) die()
      return sql.unprepared(statement, ...params)
    }
  }
}

void Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* openWriter(path)
      yield* migrate({
        writer: { ...writer, sql: mortal(writer.sql), durability: "full" },
        path,
        migrations: which === "own" ? migrations : twoSchemas,
        backUp: () => Either.void
      })
    })
  )
)
