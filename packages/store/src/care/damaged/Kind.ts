/** What there is to know of a kind of rows in order to look after those that cannot be read. */
import type { SqlError } from "@effect/sql/SqlError"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { Row, Sql } from "../../connection/Sql.js"
import type { Statements } from "../../connection/Statements.js"

export interface DamagedRecord {
  readonly kind: "run" | "task" | "event"
  /** Of its row. */
  readonly number: number
  /** As it is stored: it may be no id of ours. */
  readonly id: string
  /** What readable columns say of it, so that a person knows which one it was. */
  readonly about: string
}

export interface Kind {
  /** Selects rows with a number above the parameter, in its order, as `number` and `id` among the columns that `decode` reads. */
  readonly select: string
  /** Rows that are looked at in one query. */
  readonly page: number
  readonly decode: (row: Row) => Either.Either<unknown, unknown>
  readonly about: (row: Row) => string
  /** Everything that is stored of it, as it is; `null`: it is not there any more. */
  readonly stored: (sql: Sql, number: number) => Effect.Effect<object | null, SqlError>
  /** Takes it out where that changes the meaning of no other record, and says whether it did. */
  readonly takeOut: (sql: Statements, number: number) => boolean
}
