/** The services of a command that only looks at runs: it starts none, so it loads nothing of what starts one. */

import { providerFacts } from "alluka:provider-facts"
import {
  type CheckpointStore,
  Checkpoints,
  type Facts,
  type HostProcesses,
  Ids,
  type OutputLog,
  type OwnerIdentity,
  Recovery,
  Redactor,
  ResumeRecord,
  type Workspaces
} from "@alluka/core"
import * as Store from "@alluka/store"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LayerOptions } from "./edge.js"
import { loggerLayer } from "./logger.js"
import { resumePolicy } from "./resumePolicy.js"
import { Verdicts } from "./Verdicts.js"
import { version } from "./version.js"

export type ViewServices =
  | CheckpointStore.CheckpointStore
  | Checkpoints.Checkpoints
  | HostProcesses.HostProcesses
  | Ids.Ids
  | OutputLog.OutputLog
  | OwnerIdentity.OwnerIdentity
  | Recovery.Recovery
  | Redactor.Redactor
  | Store.StoreInfo
  | Verdicts
  | Workspaces.Workspaces

/** Verdicts from what the build has noted of the built-in providers, in place of the providers. */
const verdicts = (policy: Facts.ResumePolicy): Verdicts["Type"] => {
  // Whether an id could be one is looked at before anything is started; a list does not need it.
  const facts = new Map(providerFacts.map((each) => [each.id, { ...each, isSessionId: () => true }]))
  return {
    of: (checkpoint) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        ResumeRecord.decideFromRecord(checkpoint, policy, now, (id) => facts.get(id) ?? null)
      )
  }
}

export const viewLayer = ({
  config,
  debug,
  home,
  output
}: LayerOptions): Layer.Layer<ViewServices, CheckpointStore.StoreFailure> =>
  Layer.sync(Verdicts, () => verdicts(resumePolicy(config))).pipe(
    Layer.provideMerge(Checkpoints.layer),
    Layer.provideMerge(Recovery.layer),
    Layer.provideMerge(Store.layer({ home, version })),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(Layer.succeed(Redactor.Redactor, { redact: output.redact })),
    Layer.provideMerge(loggerLayer({ debug, output }))
  )
