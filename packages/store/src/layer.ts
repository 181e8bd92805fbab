/** Everything of this package as one layer, from a data folder. */
import {
  CheckpointStore,
  type Gates,
  type HostProcesses,
  Ids,
  OutputLog,
  OwnerIdentity,
  type Reverts,
  TaskStore,
  type Workspaces
} from "@alluka/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Care from "./care/StoreCare.js"
import * as Checkpoints from "./checkpoints/CheckpointStore.js"
import { openHome } from "./connection/home.js"
import { share } from "./connection/registry.js"
import * as Commands from "./host/Gates.js"
import * as Host from "./host/HostProcesses.js"
import * as Taking from "./host/Reverts.js"
import * as Folders from "./host/Workspaces.js"
import { migrations } from "./migrations/index.js"
import * as Output from "./output/OutputLog.js"
import * as Owners from "./owners/OwnerIdentity.js"
import { StoreInfo } from "./StoreInfo.js"
import * as Tasks from "./tasks/TaskStore.js"

export interface StoreOptions {
  /** The data folder; made if it is missing. */
  readonly home: string
  /** Version of the program, stored with each owner. */
  readonly version?: string
  /** How often the live feed asks for other processes' commits, ms; else as often as it takes to show them at once. */
  readonly pollMs?: number
}

/** What needs the data folder. */
const stored = (
  options: StoreOptions
): Layer.Layer<
  | CheckpointStore.CheckpointStore
  | TaskStore.TaskStore
  | OwnerIdentity.OwnerIdentity
  | OutputLog.OutputLog
  | Care.StoreCare
  | StoreInfo,
  CheckpointStore.StoreFailure
> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const home = yield* openHome(options.home)
      const database = yield* share(home, migrations)
      const ids = yield* Ids.Ids
      const checkpoints = Checkpoints.make({
        database,
        version: options.version ?? null,
        pollMs: options.pollMs ?? null
      })
      return Context.make(CheckpointStore.CheckpointStore, checkpoints).pipe(
        Context.add(TaskStore.TaskStore, Tasks.make(database, options.version ?? null)),
        Context.add(OwnerIdentity.OwnerIdentity, Owners.make(database, ids)),
        Context.add(OutputLog.OutputLog, yield* Output.make(home.output)),
        Context.add(Care.StoreCare, Care.make(database)),
        Context.add(StoreInfo, {
          home: home.folder,
          path: home.database,
          readOnly: home.readOnly,
          movedAside: database.movedAside
        })
      )
    })
  ).pipe(Layer.provide(Ids.layer))

/** What the store and the machine are to core. */
export type StoreServices =
  | CheckpointStore.CheckpointStore
  | TaskStore.TaskStore
  | OwnerIdentity.OwnerIdentity
  | OutputLog.OutputLog
  | Gates.Gates
  | HostProcesses.HostProcesses
  | Reverts.Reverts
  | Workspaces.Workspaces
  | Care.StoreCare
  | StoreInfo

/**
 * Core's ports on this machine and a data folder. Opening does no more than look at the file's header and the schema's
 * number, unless the store is new, older, or damaged; what it did then is in `StoreInfo`.
 *
 * Fails with `StoreUnavailable` (`unsafe_folder`, `network_file_system`, `not_accessible`, ...), `StoreNewer` for a store of
 * a newer program, which it leaves as it is, and `StoreLocked` where a new store could not be made for 10 s.
 */
export const layer = (options: StoreOptions): Layer.Layer<StoreServices, CheckpointStore.StoreFailure> =>
  // One after another: a merge of layers begins two fibers for each, which takes longer than any of these.
  stored(options).pipe(
    Layer.provideMerge(Host.layer),
    Layer.provideMerge(Folders.layer),
    Layer.provideMerge(Commands.layer),
    Layer.provideMerge(Taking.layer)
  )
