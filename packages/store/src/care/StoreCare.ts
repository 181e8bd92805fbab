/** Looking after a store: copies of it, what is wrong in it, and what nothing needs any more. */
import type { CheckpointStore } from "@alluka/core"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Database } from "../connection/Database.js"
import { type Backup, type BackupRefused, backUpTo } from "./backUpTo.js"
import { damagedRecords, type SetAside, setAside } from "./damaged/damagedRecords.js"
import type { DamagedRecord } from "./damaged/Kind.js"
import { closeExposed, exposedFiles } from "./exposedFiles.js"
import { type Faults, faults, repair } from "./faults.js"
import { type Leftovers, leftovers, tidy } from "./leftovers.js"

export class StoreCare extends Context.Tag("@alluka/store/StoreCare")<
  StoreCare,
  {
    /** Copies the store as it is at one moment to a new private file, while others go on writing. */
    readonly backUpTo: (file: string) => Effect.Effect<Backup, BackupRefused | CheckpointStore.StoreFailure>
    /** What SQLite's own examination of the whole file finds, and counts and entries of the search that do not fit the rows. */
    readonly faults: Effect.Effect<Faults, CheckpointStore.StoreFailure>
    /** Builds indexes and counts anew from the rows. */
    readonly repair: Effect.Effect<void, CheckpointStore.StoreFailure>
    /** The runs, tasks and events that cannot be read; of each kind the first thousand. */
    readonly damaged: Effect.Effect<ReadonlyArray<DamagedRecord>, CheckpointStore.StoreFailure>
    /** Writes all that is stored of a damaged record into a file, then takes it out where that changes no other record. */
    readonly setAside: (record: DamagedRecord) => Effect.Effect<SetAside, CheckpointStore.StoreFailure>
    /** What nothing refers to any more. */
    readonly leftovers: Effect.Effect<Leftovers, CheckpointStore.StoreFailure>
    /** Removes what nothing refers to any more, and says what went. */
    readonly tidy: Effect.Effect<Leftovers, CheckpointStore.StoreFailure>
    /** Paths in the data folder that other users of the machine could read or write. */
    readonly exposed: Effect.Effect<ReadonlyArray<string>>
    /** Closes them; those that could not be closed. */
    readonly close: (paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}

export const make = (database: Database): StoreCare["Type"] => ({
  backUpTo: backUpTo(database),
  faults: faults(database),
  repair: repair(database),
  damaged: damagedRecords(database),
  setAside: setAside(database),
  leftovers: leftovers(database),
  tidy: tidy(database),
  exposed: exposedFiles(database.home.folder),
  close: closeExposed
})
