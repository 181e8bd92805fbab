/** What tests need again and again: a data folder, drafts, an opened store, planted rows. Not exported by the package. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { type Checkpoint, CheckpointStore, type Event, Ids, OwnerIdentity, type State } from "@alluka/core"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { layer, type StoreOptions } from "../layer.js"

/** An empty private folder that goes away with the scope. */
export const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Fs.realpathSync(Os.tmpdir()), "alluka-store-test-"))),
  (folder) => Effect.sync(() => Fs.rmSync(folder, { recursive: true, force: true }))
)

/** A data folder that does not exist yet. */
export const temporaryHome: Effect.Effect<string, never, Scope.Scope> = Effect.map(temporaryFolder, (folder) =>
  Path.join(folder, "home")
)

export const databaseIn = (home: string): string => Path.join(home, "alluka.db")

/** What a program on a store may use. */
export type Services = Layer.Layer.Success<ReturnType<typeof layer>> | Ids.Ids

/** Runs a program on the store of a data folder. */
export const withStore = <A, E, R>(
  home: string,
  program: Effect.Effect<A, E, R>,
  options: Omit<StoreOptions, "home"> = {}
): Effect.Effect<A, E | CheckpointStore.StoreFailure, Exclude<R, Services>> =>
  Effect.provide(program, Layer.merge(layer({ home, ...options }), Ids.layer))

/** The same on a new data folder. */
export const onNewStore = <A, E, R>(
  program: Effect.Effect<A, E, R>
): Effect.Effect<A, E | CheckpointStore.StoreFailure, Exclude<Exclude<R, Services>, Scope.Scope>> =>
  Effect.scoped(Effect.flatMap(temporaryHome, (home) => withStore(home, program)))

export const at = 1_796_000_000_000

export const noProgress = (provider = "demo", session: string | null = null): Checkpoint.Progress => ({
  phases: [
    {
      index: 0,
      name: "main",
      provider,
      model: { requested: null, actual: null },
      thinking: { requested: null, actual: null },
      providerSession: session === null ? null : { id: session, assignedBy: "provider", seenAt: null, location: null },
      state: "running",
      startedAt: at,
      endedAt: null
    }
  ],
  phase: 0,
  permissionActual: null,
  position: { turn: 0, messages: 0, lastMessageId: null, openTool: null, lastActivityAt: at },
  usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
  cumulativeUsage: null,
  denied: 0,
  stream: { lines: 0, skipped: 0, oversize: 0 },
  child: null,
  providerExit: null,
  changes: null,
  elapsedMs: 0
})

export const spec = (folder = "/work/a"): Checkpoint.Spec => ({
  origin: "manual",
  prompt: "tidy the attic",
  promptRedacted: false,
  promptTruncated: false,
  knownDamage: 0,
  instruction: null,
  provider: "demo",
  providerArgs: [],
  providerArgsRedacted: false,
  permission: "edit",
  addDirs: [],
  workspace: { cwd: folder, realPath: folder, gitHead: null, gitBranch: null },
  loop: null
})

/** A draft with an id and a session of its own, and what a test wants different. */
export const newDraft = (
  changes: Partial<CheckpointStore.Draft> = {}
): Effect.Effect<CheckpointStore.Draft, never, Ids.Ids> =>
  Effect.gen(function* () {
    const ids = yield* Ids.Ids
    const id = changes.id ?? (yield* ids.checkpoint)
    return {
      id,
      agent: "default",
      sessionId: yield* ids.session,
      taskId: null,
      key: null,
      labels: {},
      title: "Tidy the attic",
      spec: spec(),
      progress: noProgress(),
      startedAt: at,
      updatedAt: at,
      attempt: 1,
      rootId: id,
      resumedFrom: null,
      forkedFrom: null,
      ...changes
    }
  })

/** A draft that resumes a checkpoint. */
export const resumeDraft = (
  source: Checkpoint.Checkpoint,
  changes: Partial<CheckpointStore.Draft> = {}
): Effect.Effect<CheckpointStore.Draft, never, Ids.Ids> =>
  newDraft({
    sessionId: source.sessionId,
    attempt: source.attempt + 1,
    rootId: source.rootId,
    resumedFrom: source.id,
    ...changes
  })

export const newEvent = (kind: Event.EventKind, message: string = kind): Event.NewEvent => ({
  kind,
  timestamp: at,
  phase: 0,
  message,
  payload: {}
})

/** Creates a running checkpoint of this process. */
export const createRunning = (changes: Partial<CheckpointStore.Draft> = {}) =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const owner = yield* (yield* OwnerIdentity.OwnerIdentity).self
    return yield* store.create(yield* newDraft(changes), owner, newEvent("created"))
  })

export const reasonOf = (code: State.ReasonCode): Checkpoint.Reason => ({
  code,
  message: code,
  detail: null,
  resetsAt: null,
  resetsAtSource: null,
  exitCode: null,
  signal: null,
  providerText: null,
  truncated: false
})

/** Ends a running checkpoint of this process. */
export const endAs = (checkpoint: Checkpoint.Checkpoint, state: State.EndState, code: State.ReasonCode | null = null) =>
  Effect.flatMap(CheckpointStore.CheckpointStore, (store) =>
    store.end({
      id: checkpoint.id,
      owner: checkpoint.owner.id,
      taskId: checkpoint.taskId,
      progress: checkpoint.progress,
      at: at + 1000,
      endedAt: at + 1000,
      events: [newEvent("state_changed")],
      confirmsResumeOf: null,
      state,
      reason: code === null ? null : reasonOf(code)
    })
  )

/** Creates a checkpoint and ends it. */
export const createEnded = (
  state: State.EndState,
  changes: Partial<CheckpointStore.Draft> = {},
  code: State.ReasonCode | null = state === "interrupted" ? "shutdown" : null
) =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const checkpoint = yield* createRunning(changes)
    yield* endAs(checkpoint, state, code)
    const found = yield* store.get(checkpoint.id)
    return found._tag === "Some" ? found.value : checkpoint
  })

/** Runs statements on a database through a connection of its own, as another program would. */
export const plant = <A>(path: string, run: (database: Sqlite.Database) => A): A => {
  const database = new Sqlite(path)
  try {
    return run(database)
  } finally {
    database.close()
  }
}

/** Every row of a table, for "nothing changed". */
export const allRows = (path: string, table: string): ReadonlyArray<unknown> =>
  plant(path, (database) => database.prepare(`SELECT * FROM ${table}`).all())
