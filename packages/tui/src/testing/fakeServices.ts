/** The monitor's services over data in memory, for its own tests: what they were asked is written down. */
import {
  type Checkpoint,
  CheckpointStore,
  Checkpoints,
  type Decision,
  type Event,
  Ids,
  OutputLog,
  OwnerIdentity,
  Provider,
  Recovery,
  Redactor,
  Resume,
  RunLauncher,
  type State,
  type Task,
  Workspaces
} from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { MonitorServices } from "../feed/services.js"
import { fakeTasks } from "./fakeTasks.js"
import { decisionOf, eventOf } from "./samples.js"

export interface Fake {
  readonly runtime: ManagedRuntime.ManagedRuntime<MonitorServices, never>
  /** Puts a run into the store, and tells it by an event. */
  readonly put: (checkpoint: Checkpoint.Checkpoint, kind?: Event.EventKind, message?: string) => void
  readonly remove: (id: string) => void
  /** Makes everything that reads the store fail, or work again. */
  readonly lock: (locked: boolean) => void
  /** What is known of the owner of a run. */
  readonly owner: (id: string, liveness: OwnerIdentity.Liveness) => void
  readonly decide: (decide: (id: string, consents: ReadonlySet<Decision.Consent>) => Decision.Decision) => void
  readonly answer: (answer: RunLauncher.Launched | RunLauncher.LaunchFailed) => void
  readonly output: (id: string, text: string) => void
  readonly asked: {
    readonly launched: Array<{ readonly argv: ReadonlyArray<string>; readonly input: string | null }>
    readonly cancelled: Array<string>
    readonly dismissed: Array<string>
    /** Rows given out by lists. */
    rows: number
    lists: number
    reconciled: number
  }
}

const locked = new CheckpointStore.StoreLocked({
  operation: "test",
  path: "/store/alluka.db",
  waitedMs: 100,
  cause: null
})

const pageOf = (
  all: ReadonlyArray<Checkpoint.Checkpoint>,
  query: CheckpointStore.ListQuery
): CheckpointStore.CheckpointPage => {
  const wanted = all
    .filter(({ state }) => query.states.length === 0 || query.states.includes(state))
    .filter(({ dismissedAt }) =>
      query.dismissed === "only" ? dismissedAt !== null : query.dismissed || dismissedAt === null
    )
    .filter(({ spec }) => query.folder === null || spec.workspace.realPath === query.folder)
    .filter(({ startedAt }) => query.since === null || startedAt >= query.since)
    .filter(({ seq }) => query.cursor === null || seq < Number(query.cursor))
    .toSorted((a, b) => b.seq - a.seq)
  const items = wanted.slice(0, query.limit)
  const last = items.at(-1)
  return {
    items,
    skipped: 0,
    total: null,
    nextCursor: wanted.length > items.length && last !== undefined ? `${last.seq}` : null
  }
}

export const makeFake = (runs: ReadonlyArray<Checkpoint.Checkpoint>, tasks: ReadonlyArray<Task.Task> = []): Fake => {
  const rows = new Map(runs.map((checkpoint) => [checkpoint.id as string, checkpoint]))
  const owners = new Map<string, OwnerIdentity.Liveness>()
  const kept: Array<Event.StoredEvent> = []
  const lines = new Map<string, Array<OutputLog.OutputLine>>()
  let isLocked = false
  let seq = 1000
  let decide = (id: string, _: ReadonlySet<Decision.Consent>): Decision.Decision => decisionOf(id)
  let answer: RunLauncher.Launched | RunLauncher.LaunchFailed = new RunLauncher.LaunchFailed({
    operation: "test",
    code: "none",
    detail: "nothing is set up"
  })
  const events = Effect.runSync(PubSub.unbounded<Event.StoredEvent>())
  const printed = Effect.runSync(PubSub.unbounded<{ readonly id: string; readonly line: OutputLog.OutputLine }>())
  const asked: Fake["asked"] = { launched: [], cancelled: [], dismissed: [], rows: 0, lists: 0, reconciled: 0 }

  const read = <A>(value: () => A): Effect.Effect<A, CheckpointStore.StoreFailure> =>
    Effect.suspend(() => (isLocked ? Effect.fail(locked) : Effect.sync(value)))
  const found = (
    id: string
  ): Effect.Effect<Checkpoint.Checkpoint, CheckpointStore.StoreFailure | Checkpoints.CheckpointNotFound> =>
    Effect.flatMap(
      read(() => rows.get(id)),
      (row) => (row === undefined ? Effect.fail(new Checkpoints.CheckpointNotFound({ id })) : Effect.succeed(row))
    )
  const tell = (id: string, kind: Event.EventKind, message: string): void => {
    seq += 1
    const event: Event.StoredEvent = { ...eventOf(id, seq, kind, message), checkpointId: Ids.CheckpointId.make(id) }
    kept.push(event)
    Effect.runSync(PubSub.publish(events, event))
  }
  const notUsed = (): Effect.Effect<never> => Effect.dieMessage("the monitor does not ask for this")

  const checkpoints = Checkpoints.Checkpoints.of({
    start: notUsed,
    find: notUsed,
    remove: notUsed,
    get: (_, id) => found(id),
    list: (_, query) =>
      read(() => {
        const page = pageOf(
          [...rows.values()].filter(({ resumedBy }) => resumedBy === null),
          query
        )
        asked.lists += 1
        asked.rows += page.items.length
        return page
      }),
    counts: () =>
      read(() => {
        const count = (state: State.State): number =>
          [...rows.values()].filter((row) => row.state === state && row.dismissedAt === null).length
        return {
          running: count("running"),
          completed: count("completed"),
          interrupted: count("interrupted"),
          failed: count("failed"),
          cancelled: count("cancelled")
        }
      }),
    timeline: (_, id, after = 0, limit = 1000) =>
      read(() => kept.filter((event) => event.checkpointId === id && event.seq > after).slice(0, limit)),
    lineage: (_, id) =>
      Effect.map(found(id), ({ rootId }) =>
        [...rows.values()].filter((row) => row.rootId === rootId).toSorted((a, b) => a.attempt - b.attempt)
      ),
    latestSeq: read(() => seq),
    changes: (_, after = 0) =>
      Stream.unwrapScoped(
        Effect.map(PubSub.subscribe(events), (queue) =>
          Stream.concat(
            Stream.fromIterable(kept.filter((event) => event.seq > after)),
            Stream.fromQueue(queue).pipe(Stream.filter((event) => event.seq > after))
          )
        )
      ).pipe(Stream.mapEffect((event) => read(() => event))),
    cancel: (_, id, by) =>
      Effect.map(found(id), (row) => {
        asked.cancelled.push(id)
        const next = { ...row, cancelRequested: { at: row.updatedAt, by, code: "cancelled_by_user" as const } }
        rows.set(id, next)
        tell(id, "cancel_requested", "cancel asked for")
        return next
      }),
    dismiss: (_, id) =>
      Effect.map(found(id), (row) => {
        asked.dismissed.push(id)
        rows.set(id, { ...row, dismissedAt: row.updatedAt })
        tell(id, "dismissed", "dismissed from lists")
        return true
      }),
    rename: (_, id, title) =>
      Effect.map(found(id), (row) => {
        rows.set(id, { ...row, title })
        tell(id, "renamed", title)
        return true
      })
  })

  const recovery = Recovery.Recovery.of({
    reconcile: read(() => {
      asked.reconciled += 1
      for (const [id, liveness] of owners) {
        const row = rows.get(id)
        if (liveness._tag !== "Dead" || row === undefined || row.state !== "running") continue
        rows.set(id, { ...row, state: "interrupted", endedAt: row.updatedAt, reason: ended })
        tell(id, "state_changed", "interrupted: its owner is gone")
      }
      return { ended: [], unknown: [], unsaved: null }
    }),
    inspect: read(() => ({ ended: [], unknown: [], unsaved: null })),
    correct: Effect.succeed,
    ownerOf: ({ id }) => read(() => owners.get(id) ?? OwnerIdentity.Liveness.Alive()),
    ownersOf: (checkpoints) =>
      read(
        () => new Map(checkpoints.map(({ id, owner }) => [owner.id, owners.get(id) ?? OwnerIdentity.Liveness.Alive()]))
      ),
    assumeDead: notUsed
  })

  const layer = Layer.mergeAll(
    Layer.succeed(Checkpoints.Checkpoints, checkpoints),
    Layer.succeed(Recovery.Recovery, recovery),
    // Asked only for conversations to import, and there is no provider that could have any.
    Layer.mock(CheckpointStore.CheckpointStore, { path: locked.path }),
    Layer.mock(Workspaces.Workspaces, {}),
    Layer.succeed(Redactor.Redactor, { redact: (text: string) => text.replaceAll("SECRET", "[redacted]") }),
    Layer.succeed(Provider.Providers, { all: [], find: () => Option.none() }),
    Layer.succeed(
      Resume.Resume,
      Resume.Resume.of({
        fromRecord: ({ id }) => Effect.sync(() => ({ ...decide(id, new Set()), basis: "record" as const })),
        preview: (_, id, request) => read(() => decide(id, request?.consents ?? new Set())),
        execute: notUsed,
        afterLoss: notUsed,
        followUp: notUsed,
        examine: notUsed
      })
    ),
    Layer.succeed(RunLauncher.RunLauncher, {
      launch: (argv: ReadonlyArray<string>, input: string | null) =>
        Effect.suspend(() => {
          asked.launched.push({ argv, input })
          return answer instanceof RunLauncher.LaunchFailed ? Effect.fail(answer) : Effect.succeed(answer)
        })
    }),
    Layer.succeed(
      OutputLog.OutputLog,
      OutputLog.OutputLog.of({
        append: notUsed,
        remove: notUsed,
        read: (id, tail) =>
          Stream.suspend(() => Stream.fromIterable((lines.get(id) ?? []).slice(tail === null ? 0 : -tail))),
        follow: (id) =>
          Stream.fromPubSub(printed).pipe(
            Stream.filter((each) => each.id === id),
            Stream.map(({ line }) => line)
          )
      })
    ),
    fakeTasks(tasks)
  )

  return {
    runtime: ManagedRuntime.make(layer),
    put: (checkpoint, kind = "state_changed", message = checkpoint.state) => {
      rows.set(checkpoint.id, checkpoint)
      tell(checkpoint.id, kind, message)
    },
    remove: (id) => {
      rows.delete(id)
      tell(id, "removed", "removed")
    },
    lock: (value) => {
      isLocked = value
      // A reader that waits for the next change hears of the lock only by looking.
      if (value) Effect.runSync(PubSub.publish(events, { ...eventOf("none", Number.MAX_SAFE_INTEGER, "notice", "") }))
    },
    owner: (id, liveness) => {
      owners.set(id, liveness)
    },
    decide: (next) => {
      decide = next
    },
    answer: (next) => {
      answer = next
    },
    output: (id, text) => {
      const line: OutputLog.OutputLine = { at: seq, from: "stdout", text }
      lines.set(id, [...(lines.get(id) ?? []), line])
      Effect.runSync(PubSub.publish(printed, { id, line }))
    },
    asked
  }
}

const ended: Checkpoint.Reason = {
  code: "owner_lost",
  message: "the process that owned this run ended unexpectedly",
  detail: null,
  resetsAt: null,
  resetsAtSource: null,
  exitCode: null,
  signal: null,
  providerText: null,
  truncated: false
}
