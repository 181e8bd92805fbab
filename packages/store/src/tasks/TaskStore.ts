/** The stored tasks: core's port, on the database of a data folder. */
import { TaskStore } from "@alluka/core"
import type { Database } from "../connection/Database.js"
import { get, lineages, list } from "./find.js"
import { claimLoop, endLoop, loop, openLoop, requestStop } from "./loops.js"
import { add, move, putBack, remove, update } from "./write.js"

/** `version`: of the program, stored with each owner. */
export const make = (database: Database, version: string | null): TaskStore.TaskStore["Type"] =>
  TaskStore.TaskStore.of({
    add: add(database),
    get: get(database),
    list: list(database),
    update: update(database),
    move: move(database),
    remove: remove(database),
    putBack: putBack(database),
    lineages: lineages(database),
    claimLoop: claimLoop(database, version),
    endLoop: endLoop(database),
    loop: loop(database),
    openLoop: openLoop(database),
    requestStop: requestStop(database)
  })
