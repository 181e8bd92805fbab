/**
 * Core's services over its ports, put together once. An app adds its store (`@alluka/store`), its providers
 * (`@alluka/providers`, or `AppProvider.appProvider` of its own), `Ids.layer` and a `Redactor`, and has the whole product
 * without a screen.
 */
import * as Layer from "effect/Layer"
import type { CheckpointStore } from "./checkpoint/CheckpointStore.js"
import * as Checkpoints from "./checkpoint/Checkpoints.js"
import type { Ids } from "./checkpoint/ids.js"
import type { HostProcesses } from "./host/HostProcesses.js"
import type { OutputLog } from "./host/OutputLog.js"
import type { OwnerIdentity } from "./host/OwnerIdentity.js"
import type { Workspaces } from "./host/Workspaces.js"
import type { Redactor } from "./privacy/Redactor.js"
import type { Providers } from "./provider/Provider.js"
import * as Recovery from "./recovery/Recovery.js"
import { defaultPolicy, type ResumePolicy } from "./resume/Facts.js"
import * as Resume from "./resume/Resume.js"
import * as Runs from "./run/Runs.js"
import type { Gates } from "./task/GatePort.js"
import * as TaskRuns from "./task/Loop.js"
import type { Reverts } from "./task/RevertPort.js"
import type { TaskStore } from "./task/TaskStore.js"
import * as Tasks from "./task/Tasks.js"

/** What an app calls. */
export type Services =
  | Checkpoints.Checkpoints
  | Recovery.Recovery
  | Resume.Resume
  | Runs.Runs
  | TaskRuns.TaskRuns
  | Tasks.Tasks

/** What it must provide. */
export type Ports =
  | CheckpointStore
  | Gates
  | HostProcesses
  | Ids
  | OutputLog
  | OwnerIdentity
  | Providers
  | Redactor
  | Reverts
  | TaskStore
  | Workspaces

/** Every service, with the policy that resumes are decided by. */
export const layer = (policy: ResumePolicy = defaultPolicy): Layer.Layer<Services, never, Ports> =>
  Layer.mergeAll(TaskRuns.layer(policy), Tasks.layer).pipe(
    Layer.provideMerge(Resume.layer(policy)),
    Layer.provideMerge(Runs.layer),
    Layer.provideMerge(Checkpoints.layer),
    Layer.provideMerge(Recovery.layer)
  )
