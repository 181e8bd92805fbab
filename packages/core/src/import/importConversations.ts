/**
 * Makes checkpoints of conversations that were held outside of Alluka and stopped in the middle, so that they can be
 * previewed and resumed like any other run. The programs' own files are only read; doing it again adds nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import { CheckpointStore, type StoreFailure } from "../checkpoint/CheckpointStore.js"
import { Checkpoints } from "../checkpoint/Checkpoints.js"
import { reasonOf } from "../checkpoint/reason.js"
import type { Permission } from "../checkpoint/state.js"
import type { OwnerLockFailed } from "../host/OwnerIdentity.js"
import { Workspaces } from "../host/Workspaces.js"
import type { FoundConversation } from "../provider/FoundConversation.js"
import { type Provider, Providers } from "../provider/Provider.js"
import { type RunSpec, root } from "../session/RunSpec.js"
import type * as Scope from "../session/Scope.js"
import { type LeftWhy, leftWhy } from "./judge.js"

/** Conversations that nobody touched for longer are left where they are, if nothing else is said, ms. */
export const usualAgeMs = 30 * 24 * 3_600_000

export interface ImportRequest {
  /** `null`: every provider that can be looked into. */
  readonly provider: string | null
  /** Real path of a folder; `null`: conversations of every folder. */
  readonly folder: string | null
  /** Conversations that were last active before are not looked at. */
  readonly since: number
  readonly agent: string
  /** What the runs may do, where the conversation does not say what it might. */
  readonly permission: Permission
  /** Says what would be done, and does nothing. */
  readonly dryRun: boolean
}

/** A conversation that was found, and what became of it. */
export interface Imported {
  readonly provider: string
  readonly conversation: FoundConversation
  /** `null`: it was left, or this was a dry run. */
  readonly checkpoint: Checkpoint | null
  /** Why it was left; `null`: it was imported, or would be. */
  readonly left: LeftWhy | null
}

type Failure = StoreFailure | OwnerLockFailed

/** Looks into the storage of the providers, newest conversations first, and imports what stopped in the middle. */
export const importConversations = (
  scope: Scope.Scope,
  request: ImportRequest
): Effect.Effect<ReadonlyArray<Imported>, Failure, Checkpoints | CheckpointStore | Providers | Workspaces> =>
  Effect.gen(function* () {
    const providers = yield* Providers
    const asked = providers.all.filter(({ id }) => request.provider === null || id === request.provider)
    const all = yield* Effect.forEach(asked, (provider) => importFrom(scope, provider, request))
    return all.flat().sort((a, b) => b.conversation.lastActivityAt - a.conversation.lastActivityAt)
  })

const importFrom = (scope: Scope.Scope, provider: Provider, request: ImportRequest) =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore
    const found = yield* provider.conversations?.(request.since) ?? Effect.succeed([])
    if (found.length === 0) return []
    const known = yield* store.knownConversations(
      provider.id,
      found.map(({ id }) => id)
    )
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.forEach(found, (conversation) =>
      importOne(scope, provider, conversation, leftWhy(conversation, { known, now }), request)
    ).pipe(Effect.map((each) => each.filter((one) => one !== null)))
  })

/** `null`: it belongs to another folder than the one that was asked for. */
const importOne = (
  scope: Scope.Scope,
  provider: Provider,
  conversation: FoundConversation,
  left: LeftWhy | null,
  request: ImportRequest
): Effect.Effect<Imported | null, Failure, Checkpoints | Workspaces> =>
  Effect.gen(function* () {
    const workspaces = yield* Workspaces
    const checkpoints = yield* Checkpoints
    const leave = (why: LeftWhy): Imported => ({ provider: provider.id, conversation, checkpoint: null, left: why })
    const resolved = yield* Effect.option(workspaces.resolve(conversation.cwd))
    const workspace = resolved._tag === "Some" ? resolved.value : null
    if (request.folder !== null && (workspace?.realPath ?? conversation.cwd) !== request.folder) return null
    if (left !== null) return leave(left)
    if (workspace === null) return leave("folder_missing")
    if (request.dryRun) return { provider: provider.id, conversation, checkpoint: null, left: null }
    const started = yield* Effect.either(
      checkpoints.start(scope, specOf(provider, conversation, workspace, request), {
        startedAt: conversation.startedAt,
        payload: { imported: true }
      })
    )
    if (started._tag === "Left") {
      // A resume that began meanwhile has it now.
      return started.left._tag === "Conflict" || started.left._tag === "ClaimLost"
        ? leave("known")
        : yield* Effect.fail(started.left)
    }
    const ended = yield* started.right
      .end({
        state: "interrupted",
        reason: reasonOf("interactive_ended", `a conversation outside of Alluka: ${conversation.stopped}`),
        progress: progressOf(started.right.checkpoint, conversation),
        events: [],
        endedAt: conversation.lastActivityAt
      })
      .pipe(Effect.catchTag("Fenced", () => Effect.succeedNone))
    return "checkpoint" in ended
      ? { provider: provider.id, conversation, checkpoint: ended.checkpoint, left: null }
      : leave("known")
  })

const progressOf = ({ progress }: Checkpoint, found: FoundConversation): Checkpoint["progress"] => ({
  ...progress,
  phases: progress.phases.map((phase) => ({ ...phase, model: { ...phase.model, actual: found.model } })),
  position: {
    turn: found.turns,
    messages: found.messages,
    lastMessageId: null,
    openTool: found.openTool,
    lastActivityAt: found.lastActivityAt
  }
})

const specOf = (
  provider: Provider,
  found: FoundConversation,
  workspace: RunSpec["workspace"],
  request: ImportRequest
): RunSpec => ({
  agent: request.agent,
  sessionId: null,
  taskId: null,
  key: null,
  labels: {},
  title: null,
  origin: "interactive",
  prompt: found.prompt,
  instruction: null,
  provider: provider.id,
  providerArgs: [],
  permission: found.permission ?? request.permission,
  addDirs: [],
  // The commit of today says nothing about the time of the conversation.
  workspace: { ...workspace, gitHead: null, gitBranch: null },
  phases: [
    {
      name: "run",
      provider: provider.id,
      model: found.model,
      thinking: found.thinking,
      providerSession: {
        id: found.id,
        assignedBy: "provider",
        seenAt: found.lastActivityAt,
        location: found.location
      },
      cumulativeUsage: null
    }
  ],
  phase: 0,
  loop: null,
  knownDamage: 0,
  lineage: root
})
