/** The loops that work through a folder's tasks: who has it, how far it is, whether it was asked to stop. */
import { type TaskStore as Port, TaskStore } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { insertOwner } from "../checkpoints/create.js"
import { type Database, synced } from "../connection/Database.js"
import type { Row } from "../connection/Sql.js"
import { loopColumns, loopOf, loopSource } from "./row.js"

type Loops = Port.TaskStore["Type"]

const options = (name: string) => synced(`TaskStore.${name}`)

const byId = `SELECT ${loopColumns} FROM ${loopSource} WHERE l.id = ?`
const openOf = `SELECT ${loopColumns} FROM ${loopSource} WHERE l.folder = ? AND l.ended_at IS NULL`

const first = ([row]: ReadonlyArray<Row>) => Option.map(Option.fromNullable(row), loopOf)

const begin = `INSERT INTO task_loop (id, folder, owner_id, started_at, max_tasks) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id, max_tasks = excluded.max_tasks, ended_at = NULL,
    stop_requested_at = NULL`

export const claimLoop =
  (database: Database, version: string | null): Loops["claimLoop"] =>
  (order, owner, at) =>
    database.write(options("claimLoop"), (sql): Either.Either<Port.LoopClaim> => {
      const held = first(sql.run(openOf, order.folder))
      if (Option.isSome(held) && held.value.id !== order.replaces) {
        return Either.right(TaskStore.LoopClaim.Held({ loop: held.value }))
      }
      if (Option.isSome(held)) sql.run("UPDATE task_loop SET ended_at = ? WHERE id = ?", at, held.value.id)
      insertOwner(sql, owner, version, at)
      sql.run(begin, order.id, order.folder, owner.id, at, order.maxTasks)
      const taken = first(sql.run(byId, order.id))
      return Either.right(TaskStore.LoopClaim.Taken({ loop: Option.getOrThrow(taken) }))
    })

export const endLoop =
  (database: Database): Loops["endLoop"] =>
  (id, at) =>
    database.write(options("endLoop"), (sql) => {
      sql.run("UPDATE task_loop SET ended_at = ? WHERE id = ? AND ended_at IS NULL", at, id)
      return Either.void
    })

export const loop =
  (database: Database): Loops["loop"] =>
  (id) =>
    Effect.map(
      database.read("TaskStore.loop", (sql) => sql.run(byId, id)),
      first
    )

export const openLoop =
  (database: Database): Loops["openLoop"] =>
  (folder) =>
    Effect.map(
      database.read("TaskStore.openLoop", (sql) => sql.run(openOf, folder)),
      first
    )

export const requestStop =
  (database: Database): Loops["requestStop"] =>
  (folder, at) =>
    database.write(options("requestStop"), (sql) => {
      sql.run(
        `UPDATE task_loop SET stop_requested_at = coalesce(stop_requested_at, ?)
         WHERE folder = ? AND ended_at IS NULL`,
        at,
        folder
      )
      return Either.right(first(sql.run(openOf, folder)))
    })
