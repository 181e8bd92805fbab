import { writeFileSync } from "node:fs"
import {
  type Checkpoint,
  Checkpoints,
  type Decision,
  type Event,
  Facts,
  LoopRequest,
  Resume,
  RunEvent,
  Scope,
  Task,
  TaskRuns,
  Tasks
} from "@alluka/core"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import { exited, named, type Scripted, type Started, said } from "./scriptedProvider.js"
import { addTasks, heard, inTaskWorld, loopRequest, runLoop, statuses } from "./taskWorld.js"

const success = (text = "done") => RunEvent.RunEvent.Succeeded({ text })
const open = ({ request: { conversation } }: Started) =>
  named(conversation._tag === "Fork" ? "" : (conversation.id ?? ""))
const does = (started: Started, text = "done") => started.say(open(started), said(text), success(text), exited(0))
const next = (script: Scripted, text?: string) => Effect.tap(script.next, (started) => does(started, text))
const limits = { timeoutMs: null, idleMs: null }
const day = 24 * 60 * 60 * 1000

const timeline = (id: Checkpoint.Checkpoint["id"]) =>
  Effect.flatMap(Checkpoints.Checkpoints, (checkpoints) => checkpoints.timeline(Scope.operator, id))
const kinds = (events: ReadonlyArray<Event.StoredEvent>) => events.map(({ kind }) => kind)
const run = (runs: ReadonlyArray<Checkpoint.Checkpoint>, index = 0): Checkpoint.Checkpoint =>
  runs[index] ?? expect.fail("there is no such run")

/** A loop whose run is interrupted once the agent has said something (in the phase after `done` phases). */
const interruptedLoop = (
  script: Scripted,
  request: LoopRequest.LoopRequest,
  options: { readonly done?: number; readonly silent?: boolean } = {}
) =>
  Effect.gen(function* () {
    const into = heard()
    const live = yield* Ref.make<Effect.Effect<void>>(Effect.void)
    const loop = yield* Effect.fork(
      runLoop(request, into, {
        follow: (running) =>
          Effect.gen(function* () {
            yield* Ref.set(live, running.stop("shutdown"))
            const checkpoint = yield* Effect.orDie(running.outcome)
            into.runs.push(checkpoint)
            return { checkpoint, signalled: true }
          })
      })
    )
    for (let n = 0; n < (options.done ?? 0); n++) yield* next(script, `answer ${n + 1}`)
    const started = yield* script.next
    if (options.silent !== true) {
      yield* started.say(open(started), said("first step"))
      yield* Effect.sleep(100)
    }
    yield* Effect.flatten(Ref.get(live))
    yield* Fiber.join(loop)
    return run(into.runs)
  })

/** Makes what is stored older, as if the machine had been off. */
const aged = (home: string, ms: number) =>
  Effect.promise(async () => {
    const { default: Sqlite } = await import("better-sqlite3")
    const database = new Sqlite(`${home}/alluka.db`)
    database
      .prepare(
        `UPDATE checkpoint SET started_at = started_at - ?,
           progress = json_set(progress, '$.position.lastActivityAt', (progress ->> '$.position.lastActivityAt') - ?)`
      )
      .run(ms, ms)
    database.close()
  })

/** Damages the record of a checkpoint, where it is not damaged yet, and gives what stands there. */
const damaged = (home: string, id: string) =>
  Effect.promise(async () => {
    const { default: Sqlite } = await import("better-sqlite3")
    const database = new Sqlite(`${home}/alluka.db`)
    database.prepare("UPDATE checkpoint SET progress = '{broken' WHERE id = ?").run(id)
    const row = database.prepare("SELECT progress || updated_at AS text FROM checkpoint WHERE id = ?").get(id)
    database.close()
    return (row as { readonly text: string }).text
  })

const decisionOf = (end: LoopRequest.LoopEnd): Decision.Decision => end.decision ?? expect.fail("there was no decision")

describe("the saved session of a folder", () => {
  it.live("goes on with --resume, in its own conversation, and the loop counts on", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two", "three"])
        const first = yield* Effect.fork(runLoop(loopRequest(cwd, { maxTasks: 1 })))
        yield* next(script)
        const before = yield* Fiber.join(first)
        const cut = yield* interruptedLoop(script, loopRequest(cwd, { maxTasks: 3 }))
        expect(cut).toMatchObject({ taskId: "T-0002", state: "interrupted" })
        expect(cut.spec.loop?.id).not.toBe(before.loop?.id)

        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "yes", maxTasks: 3 }), into))
        const resumed = yield* script.next
        expect(resumed.request.conversation).toMatchObject({
          _tag: "Continue",
          id: cut.progress.phases[0]?.providerSession?.id
        })
        expect(resumed.request.prompt).not.toContain("two")
        yield* does(resumed)
        yield* next(script)
        const end = yield* Fiber.join(loop)
        expect(decisionOf(end)).toMatchObject({
          status: "resuming_same_session",
          scope: "run_session",
          reason: "session_valid",
          message: "Resume: continuing the interrupted session for task T-0002.",
          facts: { tasksCompleted: 0 }
        })
        expect(decisionOf(end).detail).toContain("with 0 completed loop task(s)")
        expect(end.loop).toMatchObject({ id: cut.spec.loop?.id, tasksCompleted: 2, iterationsCompleted: 2 })
        expect(run(into.runs, 1).spec.loop).toMatchObject({ id: cut.spec.loop?.id, tasksCompleted: 1 })
        expect(yield* statuses(cwd)).toEqual(["done", "done", "done"])
        expect(kinds(yield* timeline(run(into.runs).id)).slice(0, 4)).toEqual([
          "created",
          "task_selected",
          "resume_decision",
          "phase_entered"
        ])
      })
    )
  )

  it.live("is asked about, and refused where nobody can be asked; nothing is changed by that", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one"])
        const cut = yield* interruptedLoop(script, loopRequest(cwd))
        const into = heard()
        const end = yield* runLoop(loopRequest(cwd), into)
        expect(end).toMatchObject({ outcome: "refused", decision: { reason: "resume_confirmation_required" } })
        expect(decisionOf(end).alternatives.map(({ argv }) => argv.join(" "))).toEqual([
          "task run resume",
          "task run loop --max-tasks 1 --no-resume",
          ""
        ])
        expect(into.decisions).toHaveLength(1)
        const checkpoints = yield* Checkpoints.Checkpoints
        expect(yield* checkpoints.get(Scope.operator, cut.id)).toEqual({ ...cut, seq: expect.any(Number) })
        expect(yield* statuses(cwd)).toEqual(["doing"])
        expect(script.started).toHaveLength(1)
      })
    )
  )

  it.live.each([
    ["yes", true],
    ["no", false]
  ] as const)("answered with %s", ([, yes]) =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one"])
        const cut = yield* interruptedLoop(script, loopRequest(cwd))
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), heard(), { ask: () => Effect.succeed(yes) }))
        const started = yield* script.next
        expect(started.request.conversation._tag).toBe(yes ? "Continue" : "New")
        yield* does(started)
        const end = yield* Fiber.join(loop)
        expect(decisionOf(end).reason).toBe(yes ? "session_valid" : "session_declined")
        const checkpoints = yield* Checkpoints.Checkpoints
        const old = yield* checkpoints.get(Scope.operator, cut.id)
        expect(old.resumedBy === null).toBe(!yes)
        expect(old.state).toBe("interrupted")
        expect(yield* statuses(cwd)).toEqual(["done"])
      })
    )
  )

  it.live("declined, its task is to be done again from the beginning, and that is said", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two"])
        yield* interruptedLoop(script, loopRequest(cwd))
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "no", kind: "one" }), into))
        const started = yield* next(script)
        yield* Fiber.join(loop)
        expect(started.request).toMatchObject({ prompt: "one", conversation: { _tag: "New" } })
        const events = yield* timeline(run(into.runs).id)
        expect(events.find(({ kind }) => kind === "resume_decision")?.payload).toMatchObject({
          status: "falling_back_to_fresh_invocation",
          reason: "session_declined"
        })
        expect(run(into.runs)).toMatchObject({ attempt: 1, resumedFrom: null })
      })
    )
  )

  it.live("too old needs a yes of its own, whatever else was said, and refuses where it cannot ask", () =>
    inTaskWorld({}, ({ cwd, home, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two"])
        yield* interruptedLoop(script, loopRequest(cwd))
        yield* aged(home, day)
        const refused = yield* runLoop(loopRequest(cwd, { resume: "yes" }))
        expect(refused).toMatchObject({
          outcome: "refused",
          decision: { reason: "session_timed_out_requires_confirmation", requires: ["stale"] }
        })
        expect(decisionOf(refused).alternatives[0]?.argv).toEqual(["task", "run", "resume", "--confirm-stale"])

        const loop = yield* Effect.fork(
          runLoop(loopRequest(cwd, { resume: "yes", consents: new Set(["stale"]), kind: "one" }))
        )
        const started = yield* next(script)
        expect(started.request.conversation._tag).toBe("Continue")
        expect(decisionOf(yield* Fiber.join(loop)).reason).toBe("session_timed_out_confirmed")
      })
    )
  )

  it.live("a minute younger than the limit it simply goes on, and a clock ahead of us is told", () =>
    inTaskWorld({}, ({ cwd, home, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one"])
        yield* interruptedLoop(script, loopRequest(cwd))
        const runs = yield* TaskRuns.TaskRuns
        yield* aged(home, day - 60_000)
        expect((yield* runs.preview(Scope.operator, loopRequest(cwd, { resume: "yes" })))?.reason).toBe("session_valid")
        yield* aged(home, -day - 3_600_000)
        const ahead = yield* runs.preview(Scope.operator, loopRequest(cwd, { resume: "yes" }))
        expect(ahead).toMatchObject({ reason: "session_valid" })
        expect(ahead?.warnings.join(" ")).toContain("ahead of this machine's clock")
      })
    )
  )

  it.live("too old and answered with no, something new begins", () =>
    inTaskWorld({}, ({ cwd, home, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one"])
        yield* interruptedLoop(script, loopRequest(cwd))
        yield* aged(home, 2 * day)
        const loop = yield* Effect.fork(
          runLoop(loopRequest(cwd, { resume: "yes" }), heard(), { ask: () => Effect.succeed(false) })
        )
        expect((yield* next(script)).request.conversation._tag).toBe("New")
        expect(decisionOf(yield* Fiber.join(loop)).reason).toBe("session_declined")
      })
    )
  )

  it.live("another task that is named overrides it, also a too old one, and leaves it as it is", () =>
    inTaskWorld({}, ({ cwd, home, script }) =>
      Effect.gen(function* () {
        const [, second] = yield* addTasks(cwd, ["one", "two"])
        yield* interruptedLoop(script, loopRequest(cwd))
        yield* aged(home, 3 * day)
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { kind: "one", taskId: second?.id ?? null })))
        expect((yield* next(script)).request.prompt).toBe("two")
        const end = yield* Fiber.join(loop)
        expect(decisionOf(end)).toMatchObject({ reason: "explicit_task_selection_overrides_session", taskId: "T-0001" })
        expect(yield* statuses(cwd)).toEqual(["doing", "done"])

        // What was overridden is still the saved session.
        const runs = yield* TaskRuns.TaskRuns
        const preview = yield* runs.preview(Scope.operator, loopRequest(cwd, { resume: "yes" }))
        expect(preview).toMatchObject({ reason: "session_timed_out_requires_confirmation", taskId: "T-0001" })
      })
    )
  )

  it.live("the named task's own session is the one that counts", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const [first, second] = yield* addTasks(cwd, ["one", "two"])
        const one = yield* interruptedLoop(script, loopRequest(cwd, { kind: "one", taskId: first?.id ?? null }))
        yield* interruptedLoop(script, loopRequest(cwd, { kind: "one", taskId: second?.id ?? null }))
        const loop = yield* Effect.fork(
          runLoop(loopRequest(cwd, { kind: "one", taskId: first?.id ?? null, resume: "yes" }))
        )
        expect((yield* next(script)).request.conversation).toMatchObject({
          _tag: "Continue",
          id: one.progress.phases[0]?.providerSession?.id
        })
        yield* Fiber.join(loop)
        expect(yield* statuses(cwd)).toEqual(["done", "doing"])
      })
    )
  )

  it.live("none there: nothing is said, unless it was asked for", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const runs = yield* TaskRuns.TaskRuns
        expect(yield* runs.preview(Scope.operator, loopRequest(cwd, { resume: "yes" }))).toBeNull()
        yield* addTasks(cwd, ["one", "two"])
        expect((yield* runs.preview(Scope.operator, loopRequest(cwd, { resume: "yes" })))?.reason).toBe("no_session")
        const quiet = yield* Effect.fork(runLoop(loopRequest(cwd, { kind: "one" })))
        yield* next(script)
        expect((yield* Fiber.join(quiet)).decision).toBeNull()
        const into = heard()
        const asked = yield* Effect.fork(runLoop(loopRequest(cwd, { kind: "one", resume: "yes" }), into))
        yield* next(script)
        expect(decisionOf(yield* Fiber.join(asked))).toMatchObject({
          status: "falling_back_to_fresh_invocation",
          reason: "no_session"
        })
        expect(kinds(yield* timeline(run(into.runs).id)).slice(0, 4)).toEqual([
          "created",
          "task_selected",
          "resume_decision",
          "phase_entered"
        ])
      })
    )
  )

  it.live("a finished run leaves nothing behind that a later one would call stale", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two"])
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd)))
        yield* next(script)
        yield* next(script)
        yield* Fiber.join(loop)
        const runs = yield* TaskRuns.TaskRuns
        expect((yield* runs.preview(Scope.operator, loopRequest(cwd, { resume: "yes" })))?.reason).toBe("no_session")
      })
    )
  )

  it.live("of a task that is not being done, done, or gone is told and left", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const tasks = yield* Tasks.Tasks
        const runs = yield* TaskRuns.TaskRuns
        const [first, second] = yield* addTasks(cwd, ["one", "two"])
        const id = first?.id ?? Task.taskId("T", 99)
        const cut = yield* interruptedLoop(script, loopRequest(cwd))
        const reason = Effect.map(
          runs.preview(Scope.operator, loopRequest(cwd, { resume: "yes" })),
          (decision) => decision?.reason
        )
        yield* tasks.edit(id, { status: "todo" })
        expect(yield* reason).toBe("session_stale")
        yield* tasks.edit(id, { status: "rejected" })
        expect(yield* reason).toBe("resume_target_terminal")
        yield* tasks.remove([id])
        expect(yield* reason).toBe("resume_target_missing")
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "yes" })))
        expect((yield* next(script)).request.prompt).toBe("two")
        const end = yield* Fiber.join(loop)
        expect(decisionOf(end).reason).toBe("resume_target_missing")
        expect(second?.id).toBe("T-0002")
        const checkpoints = yield* Checkpoints.Checkpoints
        expect((yield* checkpoints.get(Scope.operator, cut.id)).state).toBe("interrupted")
      })
    )
  )

  it.live(
    "that cannot be read is refused, by preview and run alike, until it is declined; nothing of it is changed",
    () =>
      inTaskWorld({}, ({ cwd, home, script }) =>
        Effect.gen(function* () {
          yield* addTasks(cwd, ["one", "two"])
          const cut = yield* interruptedLoop(script, loopRequest(cwd))
          const progress = yield* damaged(home, cut.id)
          const runs = yield* TaskRuns.TaskRuns
          for (const resume of ["ask", "yes"] as const) {
            const request = loopRequest(cwd, { resume, onLostSession: "fresh" })
            const refusal = { status: "refusing_to_resume", reason: "record_corrupt", taskId: "T-0001", requires: [] }
            expect(yield* runs.preview(Scope.operator, request)).toMatchObject(refusal)
            const end = yield* runLoop(request)
            expect(end).toMatchObject({ outcome: "refused", decision: refusal })
            expect(decisionOf(end).detail).toContain(cut.id)
            expect(decisionOf(end).alternatives.map(({ argv }) => argv)).toContainEqual([
              "task",
              "run",
              "loop",
              "--max-tasks",
              "1",
              "--no-resume"
            ])
          }
          expect(yield* statuses(cwd)).toEqual(["doing", "todo"])
          // Another task can be done meanwhile, and says that the saved session was there.
          const other = yield* Effect.fork(
            runLoop(loopRequest(cwd, { kind: "one", taskId: Task.taskId("T", 2), resume: "ask" }))
          )
          expect((yield* next(script)).request.prompt).toBe("two")
          expect(decisionOf(yield* Fiber.join(other)).reason).toBe("explicit_task_selection_overrides_session")
          // Its own name is no word about its session.
          const named = yield* runLoop(loopRequest(cwd, { kind: "one", taskId: Task.taskId("T", 1), resume: "ask" }))
          expect(decisionOf(named).reason).toBe("record_corrupt")

          const anew = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "no" })))
          expect((yield* next(script)).request.prompt).toBe("one")
          expect(decisionOf(yield* Fiber.join(anew))).toMatchObject({ reason: "session_declined", taskId: "T-0001" })
          expect(yield* statuses(cwd)).toEqual(["done", "done"])
          expect(yield* damaged(home, cut.id)).toBe(progress)
        })
      )
  )

  it.live("a preview changes nothing, and says what then happens", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one"])
        yield* interruptedLoop(script, loopRequest(cwd))
        const runs = yield* TaskRuns.TaskRuns
        const checkpoints = yield* Checkpoints.Checkpoints
        const request = loopRequest(cwd, { resume: "yes", kind: "one" })
        const before = yield* checkpoints.latestSeq
        const preview = yield* runs.preview(Scope.operator, request)
        expect(yield* checkpoints.latestSeq).toBe(before)
        const loop = yield* Effect.fork(runLoop(request))
        yield* next(script)
        const executed = decisionOf(yield* Fiber.join(loop))
        expect({ ...executed, evaluatedAt: 0, facts: { ...executed.facts, ageMs: 0 } }).toEqual({
          ...preview,
          evaluatedAt: 0,
          facts: { ...preview?.facts, ageMs: 0 }
        })
      })
    )
  )
})

describe("a resumed phase", () => {
  const three = { phases: 3 as const }

  it.live("is the one that was interrupted, in its own conversation; later ones are planned anew", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const [task] = yield* addTasks(cwd, ["the task"], {
          ...three,
          ofPhases: {
            implement: { ...Task.noSettings, model: "old-model" },
            review: { ...Task.noSettings, model: "old-model" }
          }
        })
        const cut = yield* interruptedLoop(script, loopRequest(cwd), { done: 1 })
        expect(cut.progress).toMatchObject({ phase: 1, position: { messages: 1 } })
        const tasks = yield* Tasks.Tasks
        const changed = { ...Task.noSettings, model: "new-model" }
        yield* tasks.edit(task?.id ?? Task.taskId("T", 99), {
          plan: { ...Task.noPlan, ...three, ofPhases: { implement: changed, review: changed } }
        })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "yes" }), into))
        const implement = yield* next(script)
        expect(implement.request).toMatchObject({
          model: "old-model",
          conversation: { _tag: "Continue", id: cut.progress.phases[1]?.providerSession?.id }
        })
        const review = yield* next(script)
        expect(review.request).toMatchObject({ model: "new-model", conversation: { _tag: "New" } })
        const end = yield* Fiber.join(loop)
        expect(decisionOf(end).detail).toContain("will resume from phase 2")
        expect(decisionOf(end).warnings).toContain("The phase review gets model new-model; recorded was old-model.")
        expect(run(into.runs).progress.phases.map(({ name, state }) => [name, state])).toEqual([
          ["plan", "completed"],
          ["implement", "completed"],
          ["review", "completed"]
        ])
        expect(script.started).toHaveLength(4)
      })
    )
  )

  it.live("that never began begins by itself: there is no conversation to lose, and the plan is not", () =>
    inTaskWorld(
      { inspect: { presence: "absent", path: null, detail: null, lastRowAt: null, tailDamaged: false } },
      ({ cwd, script }) =>
        Effect.gen(function* () {
          yield* addTasks(cwd, ["the task"], { phases: 2 })
          const cut = yield* interruptedLoop(script, loopRequest(cwd), { done: 1, silent: true })
          expect(cut.progress.phase).toBe(1)
          const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "yes" })))
          const implement = yield* next(script)
          expect(implement.request.conversation._tag).toBe("New")
          expect(implement.request.prompt).toContain("answer 1")
          expect(implement.request.prompt).toContain("the task")
          const end = yield* Fiber.join(loop)
          expect(decisionOf(end)).toMatchObject({
            status: "falling_back_to_fresh_invocation",
            reason: "provider_session_missing"
          })
          expect(yield* statuses(cwd)).toEqual(["done"])
        })
    )
  )

  it.live("whose conversation is lost needs a yes, or the flag that says so beforehand", () =>
    inTaskWorld(
      { inspect: { presence: "absent", path: null, detail: null, lastRowAt: null, tailDamaged: false } },
      ({ cwd, script }) =>
        Effect.gen(function* () {
          yield* addTasks(cwd, ["the task"], { phases: 2 })
          yield* interruptedLoop(script, loopRequest(cwd), { done: 1 })
          const refused = yield* runLoop(loopRequest(cwd, { resume: "yes" }))
          expect(refused).toMatchObject({
            outcome: "refused",
            decision: { reason: "fresh_start_requires_confirmation", cause: "provider_session_missing" }
          })
          expect(decisionOf(refused).alternatives[0]?.argv).toEqual([
            "task",
            "run",
            "resume",
            "--on-lost-session",
            "fresh"
          ])
          const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "yes", onLostSession: "fresh" })))
          const implement = yield* next(script)
          expect(implement.request.conversation._tag).toBe("New")
          expect(implement.request.prompt).toContain("answer 1")
          expect(implement.request.prompt).toContain("first step")
          expect(decisionOf(yield* Fiber.join(loop)).status).toBe("falling_back_to_fresh_invocation")
        })
    )
  )

  it.live(
    "whose provider only then says that it has no such conversation begins anew where that was allowed, once",
    () =>
      inTaskWorld({}, ({ cwd, script }) =>
        Effect.gen(function* () {
          yield* addTasks(cwd, ["the task"])
          const cut = yield* interruptedLoop(script, loopRequest(cwd))
          const lost = (started: Started) =>
            started.say(
              RunEvent.RunEvent.Failed({
                failure: {
                  code: "provider_session_missing",
                  text: "No conversation found",
                  resetsAt: null,
                  status: null,
                  lostSession: "no_such_session"
                }
              }),
              exited(1)
            )
          yield* addTasks(cwd, ["another"])
          const refusing = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "yes" })))
          yield* Effect.flatMap(script.next, lost)
          // As if the storage had told it: refused, and nothing else is begun instead.
          expect(yield* Fiber.join(refusing)).toMatchObject({
            outcome: "refused",
            decision: {
              reason: "fresh_start_requires_confirmation",
              cause: "provider_session_missing",
              taskId: "T-0001",
              requires: ["fresh"],
              alternatives: [{ argv: ["task", "run", "resume", "--on-lost-session", "fresh"] }, {}]
            }
          })
          expect(yield* statuses(cwd)).toEqual(["doing", "todo"])
          const into = heard()
          const loop = yield* Effect.fork(
            runLoop(loopRequest(cwd, { resume: "yes", onLostSession: "fresh", kind: "one" }), into)
          )
          yield* Effect.flatMap(script.next, lost)
          const fresh = yield* next(script)
          expect(fresh.request.conversation._tag).toBe("New")
          const end = yield* Fiber.join(loop)
          expect(into.runs.map(({ resumedFrom, state }) => [resumedFrom, state])).toEqual([
            [cut.id, "failed"],
            [cut.id, "completed"]
          ])
          expect(decisionOf(end)).toMatchObject({
            status: "falling_back_to_fresh_invocation",
            reason: "provider_session_missing",
            loses: [expect.stringContaining("conversation")]
          })
          // What was turned away is an attempt at the same task, not a second outcome of it.
          expect(LoopRequest.latestRuns(end.runs).map(({ state }) => state)).toEqual(["completed"])
          expect(yield* statuses(cwd)).toEqual(["done", "todo"])
        })
      )
  )

  it.live("goes on with the gate where it was: failures before the interruption count", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], { gate: { argv: ["echo same; exit 1"], shell: true, timeoutMs: 5000 } })
        const cut = yield* interruptedLoop(script, loopRequest(cwd), { done: 2 })
        expect(cut.state).toBe("interrupted")
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "yes", kind: "one" }), into))
        yield* next(script)
        yield* Fiber.join(loop)
        expect(run(into.runs)).toMatchObject({ state: "failed", reason: { code: "gate_failed" } })
        expect(run(into.runs).reason?.message).toContain("3 times")

        // Given up once, a person who goes on gives it a new set of tries.
        const again = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "yes", kind: "one" })))
        for (let n = 0; n < 3; n++) yield* next(script)
        yield* Fiber.join(again)
      })
    )
  )
})

describe("resuming a task's run by its id", () => {
  it.live("goes through its phases and its gate, and settles the task", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], {
          phases: 2,
          gate: { argv: ["test", "-e", "ok"], shell: false, timeoutMs: 5000 }
        })
        const into = heard()
        const live = yield* Ref.make<Effect.Effect<void>>(Effect.void)
        const first = yield* Effect.fork(
          runLoop(loopRequest(cwd), into, {
            follow: (running) =>
              Effect.gen(function* () {
                yield* Ref.set(live, running.stop("shutdown"))
                const checkpoint = yield* Effect.orDie(running.outcome)
                into.runs.push(checkpoint)
                return { checkpoint, signalled: true }
              })
          })
        )
        const plan = yield* script.next
        yield* plan.say(open(plan), said("thinking"))
        yield* Effect.sleep(100)
        yield* Effect.flatten(Ref.get(live))
        yield* Fiber.join(first)

        const resume = yield* Resume.Resume
        const resumed = yield* resume.execute(Scope.operator, run(into.runs).id, {
          request: Facts.plainRequest,
          limits
        })
        const running = resumed._tag === "Started" ? resumed.run : expect.fail(resumed.decision.reason)
        yield* next(script, "the plan")
        yield* next(script, "done")
        writeFileSync(`${cwd}/ok`, "")
        yield* next(script, "fixed").pipe(Effect.timeout(3000), Effect.ignore)
        const ended = yield* running.outcome
        expect(ended).toMatchObject({ state: "completed", progress: { phase: 1 }, taskId: "T-0001" })
        expect(yield* statuses(cwd)).toEqual(["done"])
      })
    )
  )

  it.live("a cancelled one goes on only with a yes, and then its task is being done again", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"])
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd)))
        const started = yield* script.next
        yield* started.say(open(started), said("working"))
        const checkpoints = yield* Checkpoints.Checkpoints
        yield* checkpoints.cancel(Scope.operator, started.request.checkpointId, "ada")
        yield* Fiber.join(loop)
        const resume = yield* Resume.Resume
        const confirmed = { ...Facts.plainRequest, consents: new Set(["cancelled"] as const) }
        const resumed = yield* resume.execute(Scope.operator, started.request.checkpointId, {
          request: confirmed,
          limits
        })
        expect(yield* statuses(cwd)).toEqual(["doing"])
        yield* next(script)
        if (resumed._tag === "Started") yield* resumed.run.outcome
        expect(yield* statuses(cwd)).toEqual(["done"])
      })
    )
  )
})
