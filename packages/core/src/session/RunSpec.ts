/** What a caller asks for when a run is to begin: already resolved (workspace, provider), not yet redacted. */

import type { LoopProgress, Phase, ProviderSession, Usage, Workspace } from "../checkpoint/Checkpoint.js"
import type { GateCommand } from "../checkpoint/GateCommand.js"
import type { CheckpointId, SessionId } from "../checkpoint/ids.js"
import type { Origin, Permission } from "../checkpoint/state.js"

export interface PhaseSpec {
  readonly name: string
  readonly provider: string
  readonly model: string | null
  readonly thinking: string | null
  /** Absent: what the run may. */
  readonly permission?: Permission
  /** A provider session this phase already had (a resume), or has been given. */
  readonly providerSession: ProviderSession | null
  /** The provider's running totals so far, where it reports cumulative figures. */
  readonly cumulativeUsage: Usage | null
}

/** A recorded phase as it was asked for. */
export const phaseAsked = (phase: Phase): PhaseSpec => ({
  name: phase.name,
  provider: phase.provider,
  model: phase.model.requested,
  thinking: phase.thinking.requested,
  ...(phase.permission === undefined ? {} : { permission: phase.permission }),
  providerSession: null,
  cumulativeUsage: null
})

export interface RunSpec {
  readonly agent: string
  /** `null`: a new session. */
  readonly sessionId: SessionId | null
  readonly taskId: string | null
  readonly key: string | null
  readonly labels: Readonly<Record<string, string>>
  /** `null`: made from the prompt's first line. */
  readonly title: string | null
  readonly origin: Origin
  /** The task, as the person wrote it. */
  readonly prompt: string
  /** What a resume was told in addition. */
  readonly instruction: string | null
  readonly provider: string
  readonly providerArgs: ReadonlyArray<string>
  readonly permission: Permission
  readonly addDirs: ReadonlyArray<string>
  readonly workspace: Workspace
  /** At least one; the run begins in `phase`. */
  readonly phases: ReadonlyArray<PhaseSpec>
  readonly phase: number
  readonly loop: LoopProgress | null
  /** Broken lines that the conversation's file is known to hold; 0 for a new conversation. */
  readonly knownDamage: number
  /** The command whose success the run must reach. */
  readonly gate?: GateCommand | null
  readonly lineage: Lineage
}

/** Where a run stands among the attempts of its task. */
export type Lineage =
  | { readonly kind: "root" }
  | { readonly kind: "fork"; readonly from: CheckpointId }
  | { readonly kind: "resume"; readonly from: CheckpointId; readonly rootId: CheckpointId; readonly attempt: number }

export const root: Lineage = { kind: "root" }
