/** The program's services, composed once. Nothing else in the repository knows all packages. */
import { join } from "node:path"
import {
  type CheckpointStore,
  Checkpoints,
  Facts,
  type HostProcesses,
  Ids,
  type OutputLog,
  type OwnerIdentity,
  type Provider,
  Recovery,
  Redactor,
  Resume,
  type RunLauncher,
  Runs,
  TaskRuns,
  type TaskStore,
  Tasks,
  type Workspaces
} from "@alluka/core"
import { Registry } from "@alluka/providers"
import * as Store from "@alluka/store"
import * as Layer from "effect/Layer"
import { type Config, numberSetting, permissionSetting, providerCommands } from "./config/merge.js"
import { demoAgentCommand } from "./demo/command.js"
import { launcherLayer } from "./launcher.js"
import { loggerLayer } from "./logger.js"
import type { Io } from "./output/Io.js"
import type { Output } from "./output/Output.js"
import { version } from "./version.js"

export type AppServices =
  | CheckpointStore.CheckpointStore
  | Checkpoints.Checkpoints
  | HostProcesses.HostProcesses
  | Ids.Ids
  | OutputLog.OutputLog
  | OwnerIdentity.OwnerIdentity
  | Provider.Providers
  | Recovery.Recovery
  | Redactor.Redactor
  | Resume.Resume
  | RunLauncher.RunLauncher
  | Runs.Runs
  | Store.StoreInfo
  | TaskRuns.TaskRuns
  | Tasks.Tasks
  | TaskStore.TaskStore
  | Workspaces.Workspaces

export interface LayerOptions {
  readonly home: string
  readonly config: Config
  readonly io: Io
  readonly debug: boolean
  readonly output: Output
}

export const resumePolicy = (config: Config): Facts.ResumePolicy => ({
  maxAgeMs: numberSetting(config, "resume.max_age", Facts.defaultPolicy.maxAgeMs),
  maxAttempts: numberSetting(config, "resume.max_attempts", Facts.defaultPolicy.maxAttempts),
  maxPermission: permissionSetting(config, "permission.max")
})

export const appLayer = ({
  config,
  debug,
  home,
  io,
  output
}: LayerOptions): Layer.Layer<AppServices, CheckpointStore.StoreFailure> => {
  const ground = Layer.mergeAll(Ids.layer, Redactor.layer(io.env)).pipe(Layer.provideMerge(Layer.empty))
  const store = Store.layer({ home, version }).pipe(Layer.provideMerge(ground))
  const world = Registry.layer({
    commands: providerCommands(config),
    demo: { ...demoAgentCommand(io.script), sessions: join(home, "demo-sessions") }
  }).pipe(Layer.provideMerge(store))
  return Layer.merge(TaskRuns.layer(resumePolicy(config)), Tasks.layer).pipe(
    Layer.provideMerge(Resume.layer(resumePolicy(config))),
    Layer.provideMerge(Runs.layer),
    Layer.provideMerge(Checkpoints.layer),
    Layer.provideMerge(Recovery.layer),
    Layer.provideMerge(launcherLayer(io)),
    Layer.provideMerge(world),
    Layer.provideMerge(loggerLayer({ debug, output }))
  )
}
