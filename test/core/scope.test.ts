/** A library caller that holds an agent's scope sees, changes and goes on from that agent's checkpoints only. */
import { join } from "node:path"
import { CheckpointStore, Checkpoints, Ids, Resume, RunSpec, Scope } from "@alluka/core"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { inWorld } from "./world.js"

const spec = (agent: string, cwd: string, change: Partial<RunSpec.RunSpec> = {}): RunSpec.RunSpec => ({
  agent,
  sessionId: null,
  taskId: null,
  key: null,
  labels: {},
  title: null,
  origin: "manual",
  prompt: `the work of ${agent}`,
  instruction: null,
  provider: "claude",
  providerArgs: [],
  permission: "edit",
  addDirs: [],
  workspace: { cwd, realPath: cwd, gitHead: null, gitBranch: null },
  phases: [
    { name: "run", provider: "claude", model: null, thinking: null, providerSession: null, cumulativeUsage: null }
  ],
  phase: 0,
  loop: null,
  knownDamage: 0,
  lineage: RunSpec.root,
  ...change
})

const mine = Scope.agent("mine")
const theirs = Scope.agent("theirs")

/** A run of the other agent that was interrupted. */
const another = (cwd: string, change: Partial<RunSpec.RunSpec> = {}) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const { checkpoint } = yield* checkpoints.start(theirs, spec("ignored", cwd, change))
    expect(checkpoint.agent).toBe("theirs")
    return checkpoint
  })

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.either(effect), (result) => Either.match(result, { onLeft: (error) => error, onRight: () => null }))

describe("an agent's scope", () => {
  it.live("shows nothing of another agent's checkpoint, and changes nothing of it", () =>
    inWorld({}, ({ cwd }) =>
      Effect.gen(function* () {
        const checkpoints = yield* Checkpoints.Checkpoints
        const resume = yield* Resume.Resume
        const { id } = yield* another(cwd)
        const heard: Array<string> = []
        const watching = yield* checkpoints.changes(mine, 0).pipe(
          Stream.runForEach((event) => Effect.sync(() => heard.push(event.checkpointId))),
          Effect.fork
        )
        const before = yield* checkpoints.get(Scope.operator, id)
        const asked = {
          get: checkpoints.get(mine, id),
          find: checkpoints.find(mine, id.slice(5, 10)),
          timeline: checkpoints.timeline(mine, id),
          lineage: checkpoints.lineage(mine, id),
          cancel: checkpoints.cancel(mine, id, "mine"),
          dismiss: checkpoints.dismiss(mine, id),
          rename: checkpoints.rename(mine, id, "taken"),
          remove: checkpoints.remove(mine, [id])
        }
        for (const [name, effect] of Object.entries(asked)) {
          expect((yield* tagOf(effect as Effect.Effect<unknown, { readonly _tag: string }>))?._tag, name).toBe(
            "CheckpointNotFound"
          )
        }
        expect((yield* resume.preview(mine, id)).reason).toBe("checkpoint_not_found")
        expect((yield* checkpoints.list(mine, Checkpoints.everything)).items).toEqual([])
        expect((yield* checkpoints.counts(mine)).running).toBe(0)
        expect(yield* checkpoints.get(Scope.operator, id)).toEqual(before)
        yield* checkpoints.rename(theirs, id, "renamed")
        yield* Effect.sleep(400)
        yield* Fiber.interrupt(watching)
        expect(heard).toEqual([])
      })
    )
  )

  it.live("goes on from no checkpoint and in no session of another agent, and is not told who is in the way", () =>
    inWorld({}, ({ cwd }) =>
      Effect.gen(function* () {
        const checkpoints = yield* Checkpoints.Checkpoints
        const store = yield* CheckpointStore.CheckpointStore
        const run = yield* another(cwd, { key: "nightly" })
        yield* store.end({
          id: run.id,
          owner: run.owner.id,
          taskId: run.taskId,
          progress: run.progress,
          at: Date.now(),
          endedAt: Date.now(),
          events: [],
          confirmsResumeOf: null,
          state: "interrupted",
          reason: null
        })
        const attempt = { kind: "resume", from: run.id, rootId: run.rootId, attempt: 2 } as const
        const fork = { kind: "fork", from: run.id } as const
        for (const lineage of [attempt, fork]) {
          const claim = tagOf(checkpoints.start(mine, spec("mine", cwd, { lineage })))
          expect((yield* claim)?._tag, lineage.kind).toBe("ClaimLost")
        }
        const joined = yield* tagOf(checkpoints.start(mine, spec("mine", cwd, { sessionId: run.sessionId })))
        expect(joined).toMatchObject({ _tag: "Conflict", on: "session", holder: null })
        const { id } = yield* another(cwd, { key: "hourly" })
        const keyed = yield* tagOf(checkpoints.start(mine, spec("mine", cwd, { key: "hourly" })))
        expect(keyed).toMatchObject({ _tag: "Conflict", on: "key", holder: null })
        const own = yield* tagOf(checkpoints.start(theirs, spec("theirs", cwd, { key: "hourly" })))
        expect(own).toMatchObject({ _tag: "Conflict", on: "key", holder: id })
        expect((yield* checkpoints.list(Scope.operator, Checkpoints.everything)).items).toHaveLength(2)
      })
    )
  )

  it.live("does not see that another agent's record is damaged, nor removes it", () =>
    inWorld({}, ({ cwd, home }) =>
      Effect.gen(function* () {
        const checkpoints = yield* Checkpoints.Checkpoints
        const { id } = yield* another(cwd)
        const database = new Database(join(home, "alluka.db"))
        database.exec("UPDATE checkpoint SET spec = '{', state = 'failed'")
        for (const effect of [
          checkpoints.get(mine, id),
          checkpoints.find(mine, id.slice(5, 10)),
          checkpoints.remove(mine, [id])
        ]) {
          expect((yield* tagOf(effect as Effect.Effect<unknown, { readonly _tag: string }>))?._tag).toBe(
            "CheckpointNotFound"
          )
        }
        expect(database.prepare("SELECT count(*) FROM checkpoint").pluck().get()).toBe(1)
        database.close()
        expect((yield* tagOf(checkpoints.get(Scope.operator, Ids.CheckpointId.make(id))))?._tag).toBe("RecordCorrupt")
      })
    )
  )
})
