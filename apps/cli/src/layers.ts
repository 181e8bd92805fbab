/** The program's services, composed once. Nothing else in the repository knows all packages. */
import { join } from "node:path"
import {
  type CheckpointStore,
  type HostProcesses,
  Ids,
  type OutputLog,
  type OwnerIdentity,
  type Provider,
  Redactor,
  Resume,
  type RunLauncher,
  Services,
  type TaskStore,
  type Workspaces
} from "@alluka/core"
import { Registry } from "@alluka/providers"
import * as Store from "@alluka/store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tellFaults } from "./config/fault.js"
import { providerCommands } from "./config/merge.js"
import { demoAgentCommand } from "./demo/command.js"
import { describedProviders } from "./describedProviders.js"
import { type LayerOptions, noteFaults } from "./edge.js"
import { hookedStore } from "./hooks/hookedStore.js"
import { launcherLayer } from "./launcher.js"
import { loggerLayer } from "./logger.js"
import { resumePolicy } from "./resumePolicy.js"
import { Verdicts } from "./Verdicts.js"
import { version } from "./version.js"

export type AppServices =
  | CheckpointStore.CheckpointStore
  | HostProcesses.HostProcesses
  | Ids.Ids
  | OutputLog.OutputLog
  | OwnerIdentity.OwnerIdentity
  | Provider.Providers
  | Redactor.Redactor
  | RunLauncher.RunLauncher
  | Services.Services
  | Store.StoreCare
  | Store.StoreInfo
  | TaskStore.TaskStore
  | Verdicts
  | Workspaces.Workspaces

export const appLayer = (options: LayerOptions): Layer.Layer<AppServices, CheckpointStore.StoreFailure> => {
  const { config, debug, home, io, output } = options
  const ground = Layer.merge(Ids.layer, Layer.succeed(Redactor.Redactor, { redact: output.redact }))
  const store = hookedStore(options).pipe(
    Layer.provideMerge(Store.layer({ home, version })),
    Layer.provideMerge(ground)
  )
  const { faults, providers } = describedProviders(config)
  const world = Registry.layer({
    commands: providerCommands(config),
    configured: { providers, transcripts: join(home, "transcripts") },
    demo: { ...demoAgentCommand(io.script), sessions: join(home, "demo-sessions") }
  }).pipe(Layer.provideMerge(store))
  const verdicts = Layer.effect(
    Verdicts,
    Effect.map(Resume.Resume, ({ fromRecord }) => ({ of: fromRecord }))
  )
  return verdicts.pipe(
    Layer.provideMerge(Services.layer(resumePolicy(config))),
    Layer.provideMerge(launcherLayer(io)),
    Layer.provideMerge(world),
    Layer.provideMerge(loggerLayer({ debug, output })),
    Layer.tap(() => Effect.promise(async () => noteFaults(await tellFaults(faults), output)))
  )
}
