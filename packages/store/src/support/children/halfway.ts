/** Dies in the middle of a migration: `halfway DATABASE` applies the second schema of the tests and kills itself in it. */
import * as Effect from "effect/Effect"
import { openWriter } from "../../connection/live.js"
import type { Sql } from "../../connection/Sql.js"
import { migrate } from "../../migrations/migrate.js"
import { twoSchemas } from "../schemas.js"
import { args } from "./childProgram.js"

const [path = ""] = args

/** Dies before the statement that would finish the migration. */
const mortal = (sql: Sql): Sql => ({
  ...sql,
  unprepared: (statement, ...params) =>
    Effect.suspend(() => {
      if (statement.startsWith("PRAGMA user_version =")) process.kill(process.pid, "SIGKILL")
      return sql.unprepared(statement, ...params)
    })
})

void Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* openWriter(path)
      yield* migrate({
        writer: { ...writer, sql: mortal(writer.sql) },
        path,
        migrations: twoSchemas,
        backUp: () => Effect.void
      })
    })
  )
)
