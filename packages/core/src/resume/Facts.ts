/**
 * Everything the resume decision depends on, gathered before it is made. What was not looked at, or could not be found
 * out, is `null` or `unknown`; the decision never takes that for absence.
 */
import type { Checkpoint, Time } from "../checkpoint/Checkpoint.js"
import type { CheckpointId } from "../checkpoint/ids.js"
import type { Permission } from "../checkpoint/state.js"
import type { Drift } from "../host/Workspaces.js"
import type { Capabilities } from "../provider/Capabilities.js"
import type { SessionInspection } from "../provider/Provider.js"
import type { Consent, DecisionReason, DecisionScope } from "./Decision.js"

export interface ResumePolicy {
  /** A session older than this needs a confirmation, ms. */
  readonly maxAgeMs: number
  /** Attempts that reached the conversation, at most. */
  readonly maxAttempts: number
  /** Caps what a stored permission may ask for. */
  readonly maxPermission: Permission
}

export const defaultPolicy: ResumePolicy = {
  maxAgeMs: 24 * 60 * 60 * 1000,
  maxAttempts: 10,
  maxPermission: "full"
}

/** What the person asks of this resume. */
export interface ResumeRequest {
  readonly scope: DecisionScope
  readonly consents: ReadonlySet<Consent>
  /** Start anew although the old conversation could go on (`--fresh`). */
  readonly fresh: boolean
  readonly fork: boolean
  readonly instruction: string | null
  readonly model: string | null
  readonly thinking: string | null
  readonly permission: Permission | null
  readonly provider: string | null
  readonly cd: string | null
}

export const plainRequest: ResumeRequest = {
  scope: "run_session",
  consents: new Set(),
  fresh: false,
  fork: false,
  instruction: null,
  model: null,
  thinking: null,
  permission: null,
  provider: null,
  cd: null
}

export interface RunningAttempt {
  readonly id: CheckpointId
  readonly pid: number
  readonly host: string
  readonly since: Time
  readonly liveness: "alive" | "unknown"
  readonly why: string | null
}

/** What the world said when it was looked at. */
export interface Probe {
  readonly providerFound: boolean | null
  readonly providerCommand: string | null
  readonly installHint: string
  readonly auth: "present" | "absent" | "unknown"
  readonly workspace:
    | { readonly _tag: "Usable"; readonly realPath: string }
    | {
        readonly _tag: "Unusable"
        readonly code: "workspace_missing" | "workspace_not_a_directory" | "workspace_not_accessible"
        readonly path: string
        readonly detail: string
      }
  readonly drift: Drift | null
  readonly session: SessionInspection | null
  readonly survivor: { readonly pid: number; readonly command: string } | null
  /** Other live runs in the same folder. */
  readonly neighbours: ReadonlyArray<CheckpointId>
  /** The provider's configuration directory today, to compare with the recorded one. */
  readonly location: string | null
}

export interface Facts {
  readonly now: Time
  readonly policy: ResumePolicy
  readonly request: ResumeRequest
  /** What was asked for, as typed or as an id. */
  readonly requestedId: string
  readonly trouble: Extract<DecisionReason, "store_newer" | "record_corrupt" | "checkpoint_not_found"> | null
  readonly troubleDetail: string | null
  readonly checkpoint: Checkpoint | null
  /** `null`: this program has no such provider. */
  readonly capabilities: Capabilities | null
  readonly providerTitle: string
  /** Of another provider asked for by `--provider`; `null` where none was. */
  readonly otherProviderKnown: boolean | null
  /** The provider can hold such an id at all; a malformed one must never reach the program. */
  readonly sessionIdWellFormed: boolean
  /** The provider has just answered that it does not have the conversation. */
  readonly sessionLost: boolean
  readonly tip: CheckpointId | null
  /** Attempts of the lineage that reached the conversation, the first run included. */
  readonly attempts: number
  /** The number that the next attempt gets: attempts that never reached the conversation count here. */
  readonly nextAttempt: number
  readonly runningAttempt: RunningAttempt | null
  /** Another running checkpoint in the same session, or with the same provider session. */
  readonly sessionHolder: RunningAttempt | null
  /** `null`: the world was not looked at, since the record, or a live owner, settles it. */
  readonly probe: Probe | null
  /** `record`: from the stored record alone; `probed`: owners, and where it matters the world, were looked at. */
  readonly basis: "record" | "probed"
  /** For tasks: what is to be done with the saved session, where that is already settled. */
  readonly task: TaskFacts | null
}

/** What the task loop knows besides the checkpoint. */
export interface TaskFacts {
  readonly classification: "valid" | "stale" | "timed_out" | "no_session"
  /** Another task than the saved session's was named. */
  readonly explicitOther: boolean
  /** `--no-resume`, or no to the question. */
  readonly declined: boolean
  /** The person asked for a resume, by flag or by answering yes. */
  readonly confirmed: boolean
  readonly tasksCompleted: number
  readonly target: "ok" | "missing" | "terminal"
  /** Whose saved session it is, where its record cannot be read. */
  readonly taskId?: string
  /** What of the task's later phases is not as it was recorded, a sentence each. */
  readonly differences?: ReadonlyArray<string>
}

/**
 * Whether the provider has the conversation by name only: we have seen it answer, and its storage holds nothing that was
 * ever said to it. It would go on in an empty one.
 */
export const isEmptied = (checkpoint: Checkpoint, session: SessionInspection | null | undefined): boolean =>
  session?.presence === "present" &&
  session.promptMissing === true &&
  (checkpoint.progress.position.messages > 0 || checkpoint.progress.position.openTool !== null)

/** Whether the record shows that the agent ever answered: else the prompt may never have arrived. */
export const conversationSeen = (checkpoint: Checkpoint): boolean =>
  checkpoint.progress.position.messages > 0 ||
  checkpoint.progress.position.turn > 0 ||
  checkpoint.progress.position.openTool !== null
