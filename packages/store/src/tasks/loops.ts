/** The loops that work through a folder's tasks: who has it, how far it is, whether it was asked to stop. */
import { type TaskStore as Port, TaskStore } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { insertOwner } from "../checkpoints/create.js"
import { type Database, synced } from "../connection/Database.js"
import type { Sql } from "../connection/Sql.js"
import { loopColumns, loopOf, loopSource } from "./row.js"

type Loops = Port.TaskStore["Type"]

const options = (name: string) => synced(`TaskStore.${name}`)

const byId = `SELECT ${loopColumns} FROM ${loopSource} WHERE l.id = ?`
const openOf = `SELECT ${loopColumns} FROM ${loopSource} WHERE l.folder = ? AND l.ended_at IS NULL`

const one = (sql: Sql, query: string, param: string) =>
  Effect.map(sql.run(query, param), ([row]) => Option.map(Option.fromNullable(row), loopOf))

const begin = `INSERT INTO task_loop (id, folder, owner_id, started_at, max_tasks) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id, max_tasks = excluded.max_tasks, ended_at = NULL,
    stop_requested_at = NULL`

export const claimLoop =
  (database: Database, version: string | null): Loops["claimLoop"] =>
  (order, owner, at) =>
    database.write(options("claimLoop"), (sql) =>
      Effect.gen(function* () {
        const held = yield* one(sql, openOf, order.folder)
        if (Option.isSome(held) && held.value.id !== order.replaces) {
          return TaskStore.LoopClaim.Held({ loop: held.value })
        }
        if (Option.isSome(held)) yield* sql.run("UPDATE task_loop SET ended_at = ? WHERE id = ?", at, held.value.id)
        yield* insertOwner(sql, owner, version, at)
        yield* sql.run(begin, order.id, order.folder, owner.id, at, order.maxTasks)
        const taken = yield* one(sql, byId, order.id)
        return TaskStore.LoopClaim.Taken({ loop: Option.getOrThrow(taken) })
      })
    )

export const endLoop =
  (database: Database): Loops["endLoop"] =>
  (id, at) =>
    Effect.asVoid(
      database.write(options("endLoop"), (sql) =>
        sql.run("UPDATE task_loop SET ended_at = ? WHERE id = ? AND ended_at IS NULL", at, id)
      )
    )

export const loop =
  (database: Database): Loops["loop"] =>
  (id) =>
    database.read("TaskStore.loop", (sql) => one(sql, byId, id))

export const openLoop =
  (database: Database): Loops["openLoop"] =>
  (folder) =>
    database.read("TaskStore.openLoop", (sql) => one(sql, openOf, folder))

export const requestStop =
  (database: Database): Loops["requestStop"] =>
  (folder, at) =>
    database.write(options("requestStop"), (sql) =>
      Effect.zipRight(
        sql.run(
          `UPDATE task_loop SET stop_requested_at = coalesce(stop_requested_at, ?)
           WHERE folder = ? AND ended_at IS NULL`,
          at,
          folder
        ),
        one(sql, openOf, folder)
      )
    )
