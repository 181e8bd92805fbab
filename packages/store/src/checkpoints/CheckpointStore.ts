/** The durable store: core's port, on the database of a data folder. */
import { CheckpointStore } from "@alluka/core"
import type { Database } from "../connection/Database.js"
import { changes, eventsAfter, latestSeq } from "../feed/changes.js"
import { end, note, progress } from "./advance.js"
import { cancelRequest, requestCancel } from "./cancel.js"
import { claim, create } from "./create.js"
import {
  byKey,
  counts,
  events,
  get,
  idsWithPrefix,
  knownConversations,
  lineage,
  running,
  runningOwners
} from "./find.js"
import { list } from "./list.js"
import { reconcile } from "./reconcile.js"
import { dismiss, remove, rename } from "./tidy.js"

export interface Options {
  readonly database: Database
  /** Of the program, stored with each owner. */
  readonly version: string | null
  /** How often a live feed asks whether another process has committed, ms; `null`: as usual. */
  readonly pollMs: number | null
}

export const make = ({ database, version, pollMs }: Options): CheckpointStore.CheckpointStore["Type"] =>
  CheckpointStore.CheckpointStore.of({
    path: database.home.database,
    create: create(database, version),
    claim: claim(database, version),
    progress: progress(database),
    end: end(database),
    note: note(database),
    get: get(database),
    idsWithPrefix: idsWithPrefix(database),
    lineage: lineage(database),
    running: running(database),
    knownConversations: knownConversations(database),
    byKey: byKey(database),
    list: list(database),
    counts: counts(database),
    events: events(database),
    requestCancel: requestCancel(database),
    cancelRequest: cancelRequest(database),
    runningOwners: runningOwners(database),
    reconcile: reconcile(database),
    dismiss: dismiss(database),
    rename: rename(database),
    remove: remove(database),
    latestSeq: latestSeq(database),
    eventsAfter: eventsAfter(database),
    changes: changes(database, pollMs)
  })
