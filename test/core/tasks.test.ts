import { realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Checkpoint, Checkpoints, type Event, RunEvent, Scope, Task, TaskRuns, Tasks } from "@alluka/core"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { exited, named, type Scripted, type Started, said } from "./scriptedProvider.js"
import { addTasks, heard, inTaskWorld, kindsOf, loopRequest, runLoop, statuses } from "./taskWorld.js"

const success = (text = "done") => RunEvent.RunEvent.Succeeded({ text })

/** Opens the conversation that was asked for. */
const open = (started: Started) => {
  const { conversation } = started.request
  return named(conversation._tag === "Fork" ? (conversation.id ?? "") : (conversation.id ?? ""))
}

/** The agent does what it was told and says so. */
const does = (started: Started, text = "done") => started.say(open(started), said(text), success(text), exited(0))

/** The next start, done. */
const next = (script: Scripted, text?: string) => Effect.tap(script.next, (started) => does(started, text))

const timeline = (id: Checkpoint.Checkpoint["id"]) =>
  Effect.flatMap(Checkpoints.Checkpoints, (checkpoints) => checkpoints.timeline(Scope.operator, id))

const ofKind = (events: ReadonlyArray<Event.StoredEvent>, kind: Event.EventKind) =>
  events.filter((event) => event.kind === kind)

/** A loop in a folder whose owner ran on another machine: nobody here can tell whether it lives. */
const loopOfAnotherMachine = (home: string, folder: string) =>
  Effect.promise(async () => {
    const { default: Sqlite } = await import("better-sqlite3")
    const database = new Sqlite(join(home, "alluka.db"))
    database.exec(`INSERT INTO owner (id, host, boot_id, pid, pid_start, started_at)
      VALUES ('own_zzzzzzzzzzzz', 'elsewhere', 'another-boot', 77, '1', 0)`)
    database
      .prepare("INSERT INTO task_loop (id, folder, owner_id, started_at) VALUES (?, ?, 'own_zzzzzzzzzzzz', 0)")
      .run("loop_zzzzzzzzzzzz", folder)
    database.close()
  })

const gate = (script: string): Task.Plan["gate"] => ({ argv: [script], shell: true, timeoutMs: 20_000 })

describe("a task loop", () => {
  it.live("does one task after the other, each a checkpoint, and counts them", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["first task", "second task"])
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        const first = yield* next(script)
        expect(first.request.prompt).toBe("first task")
        expect(first.request.conversation).toMatchObject({
          _tag: "New",
          id: expect.stringMatching(/^id-of-T-0001-p0-\d+$/)
        })
        yield* next(script)
        const end = yield* Fiber.join(loop)
        expect(end).toMatchObject({
          outcome: "done",
          decision: null,
          loop: { tasksCompleted: 2, iterationsCompleted: 2, maxTasks: null }
        })
        expect(yield* statuses(cwd)).toEqual(["done", "done"])
        expect(
          into.runs.map(({ taskId, state, spec }) => [taskId, state, spec.origin, spec.loop?.tasksCompleted])
        ).toEqual([
          ["T-0001", "completed", "task", 0],
          ["T-0002", "completed", "task", 1]
        ])
        const events = yield* timeline(into.runs[0]?.id ?? Checkpoint.Checkpoint.fields.id.make("ckpt_000000000000"))
        expect(kindsOf(events).slice(0, 3)).toEqual(["created", "task_selected", "phase_entered"])
        expect(script.started).toHaveLength(2)
      })
    )
  )

  it.live("ends after as many as were asked for, and has nothing to do where there is nothing", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two", "three"])
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { maxTasks: 2 })))
        yield* next(script)
        yield* next(script)
        expect(yield* Fiber.join(loop)).toMatchObject({
          outcome: "done",
          loop: { maxTasks: 2, iterationsCompleted: 2 }
        })
        expect(yield* statuses(cwd)).toEqual(["done", "done", "todo"])
        const one = yield* Effect.fork(runLoop(loopRequest(cwd, { kind: "one" })))
        yield* next(script)
        yield* Fiber.join(one)
        expect(yield* runLoop(loopRequest(cwd))).toMatchObject({ outcome: "done", runs: [] })
      })
    )
  )

  it.live("goes on with the next task after a failure, and does not begin the failed one again", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two"])
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        const first = yield* script.next
        yield* first.say(open(first), said("I cannot"), exited(1))
        yield* next(script)
        const end = yield* Fiber.join(loop)
        expect(end).toMatchObject({
          outcome: "blocked",
          blocked: { reason: "tasks_unfinished", taskId: "T-0001", next: [{ argv: ["task", "run", "resume"] }] }
        })
        expect(yield* statuses(cwd)).toEqual(["doing", "done"])
        expect(end.loop).toMatchObject({ tasksCompleted: 1, iterationsCompleted: 2 })
      })
    )
  )

  it.live("ends at a failure where it was told to, and at what the next task would fail of too", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two"])
        const stops = yield* Effect.fork(runLoop(loopRequest(cwd, { stopOnFailure: true })))
        const first = yield* script.next
        yield* first.say(open(first), exited(1))
        expect(yield* Fiber.join(stops)).toMatchObject({ outcome: "blocked", blocked: { taskId: "T-0001" } })

        const unable = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "no" })))
        const second = yield* script.next
        yield* second.say(
          RunEvent.RunEvent.Failed({
            failure: { code: "auth_required", text: "401", resetsAt: null, status: 401, lostSession: null }
          }),
          exited(1)
        )
        expect(yield* Fiber.join(unable)).toMatchObject({
          outcome: "blocked",
          blocked: { reason: "auth_required", exitCode: 7, next: [{ argv: ["providers", "test", "claude"] }, {}] }
        })
        expect(script.started).toHaveLength(2)
      })
    )
  )

  it.live("a usage limit blocks it, with the command that waits", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two"])
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        const first = yield* script.next
        yield* first.say(
          open(first),
          RunEvent.RunEvent.Failed({
            failure: {
              code: "usage_limit",
              text: "limit",
              resetsAt: Date.now() + 3_600_000,
              status: null,
              lostSession: null
            }
          }),
          exited(1)
        )
        expect(yield* Fiber.join(loop)).toMatchObject({
          outcome: "blocked",
          blocked: { reason: "usage_limit", exitCode: 8 }
        })
        expect(into.events.at(-1)).toMatchObject({
          kind: "blocked",
          seq: expect.any(Number),
          payload: { next: [{ argv: ["task", "run", "resume", "--continue-at-reset"] }, {}] }
        })
        const again = heard()
        const refused = yield* runLoop(loopRequest(cwd, { resume: "yes" }), again)
        expect(refused).toMatchObject({
          outcome: "refused",
          decision: { reason: "usage_limit_not_reset", requires: ["limit"] }
        })
        expect(refused.decision?.alternatives.map(({ argv }) => argv)).toContainEqual([
          "task",
          "run",
          "resume",
          "--ignore-limit"
        ])
      })
    )
  )

  it.live("stops after its present task when it is asked to", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const [first] = yield* addTasks(cwd, ["one", "two"])
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd)))
        const started = yield* script.next
        const runs = yield* TaskRuns.TaskRuns
        yield* runs.stop(first?.cwd ?? "")
        yield* does(started)
        expect(yield* Fiber.join(loop)).toMatchObject({ outcome: "stopped" })
        expect(yield* statuses(cwd)).toEqual(["done", "todo"])
      })
    )
  )

  it.live("is the only one of its folder; another says who has it", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two"])
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { kind: "one" })))
        const started = yield* script.next
        const into = heard()
        const second = yield* runLoop(loopRequest(cwd), into)
        expect(second).toMatchObject({ outcome: "refused", decision: { reason: "already_running", taskId: "T-0001" } })
        expect(second.decision?.facts.owner?.pid).toBe(process.pid)
        yield* does(started)
        yield* Fiber.join(loop)
        expect(script.started).toHaveLength(1)
      })
    )
  )

  it.live("whose owner cannot be proven dead is left to a person's word", () =>
    inTaskWorld({}, ({ cwd, home, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one"])
        yield* loopOfAnotherMachine(home, realpathSync(cwd))
        const blocked = yield* runLoop(loopRequest(cwd, { resume: "yes" }))
        expect(blocked).toMatchObject({
          outcome: "blocked",
          blocked: {
            reason: "owner_unknown",
            exitCode: 6,
            message: expect.stringContaining("pid 77 on elsewhere"),
            next: [{ argv: ["task", "run", "loop", "--assume-owner-dead"] }]
          }
        })
        const taken = yield* Effect.fork(runLoop(loopRequest(cwd, { consents: new Set(["owner_dead"]) })))
        yield* next(script)
        expect(yield* Fiber.join(taken)).toMatchObject({ outcome: "done", loop: { tasksCompleted: 1 } })
        expect(yield* statuses(cwd)).toEqual(["done"])
      })
    )
  )

  it.live("ten at once do every task once", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two", "three"])
        const answering = yield* Effect.fork(Effect.forever(next(script)))
        yield* Effect.all(
          Array.from({ length: 10 }, () => runLoop(loopRequest(cwd))),
          { concurrency: "unbounded" }
        )
        // Whoever was turned away left the rest to who was there first.
        yield* runLoop(loopRequest(cwd))
        yield* Fiber.interrupt(answering)
        expect(yield* statuses(cwd)).toEqual(["done", "done", "done"])
        expect(script.started.map(({ request }) => request.prompt).sort()).toEqual(["one", "three", "two"])
      })
    )
  )

  it.live("does a named task, whatever comes first; a settled one is refused", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const [, second] = yield* addTasks(cwd, ["one", "two"])
        const taskId = second?.id ?? Task.taskId("T", 9)
        const one = yield* Effect.fork(runLoop(loopRequest(cwd, { kind: "one", taskId })))
        expect((yield* next(script)).request.prompt).toBe("two")
        yield* Fiber.join(one)
        expect(yield* statuses(cwd)).toEqual(["todo", "done"])
        expect(yield* Effect.flip(runLoop(loopRequest(cwd, { taskId })))).toMatchObject({
          _tag: "TaskSettled",
          status: "done"
        })
      })
    )
  )

  it.live("a cancelled run puts its task back on the list and ends the loop", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one", "two"])
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd)))
        const started = yield* script.next
        const checkpoints = yield* Checkpoints.Checkpoints
        yield* checkpoints.cancel(Scope.operator, started.request.checkpointId, "ada")
        expect(yield* Fiber.join(loop)).toMatchObject({ outcome: "blocked", blocked: { exitCode: 9 } })
        expect(yield* statuses(cwd)).toEqual(["todo", "todo"])
      })
    )
  )

  it.live("nothing is created for a task that cannot be done as it is written", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one"], { settings: { ...Task.noSettings, thinking: "enormous" } })
        expect(yield* Effect.flip(runLoop(loopRequest(cwd)))).toMatchObject({
          _tag: "TaskCannotBegin",
          task: "T-0001",
          cause: { _tag: "SettingUnsupported" },
          message: expect.stringMatching(/^task T-0001 cannot be begun: .*enormous/)
        })
        expect(script.started).toHaveLength(0)
        expect(yield* statuses(cwd)).toEqual(["todo"])
        const checkpoints = yield* Checkpoints.Checkpoints
        expect((yield* checkpoints.list(Scope.operator, Checkpoints.everything)).items).toEqual([])
      })
    )
  )
})

describe("a task that cannot be begun in the middle of a loop", () => {
  it.live("blocks it, and is named with the command that shows it", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["one"])
        yield* addTasks(cwd, ["two"], { settings: { ...Task.noSettings, thinking: "enormous" } })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        yield* next(script)
        expect(yield* Fiber.join(loop)).toMatchObject({
          outcome: "blocked",
          blocked: {
            reason: "setting_unsupported",
            taskId: "T-0002",
            exitCode: 2,
            next: [{ argv: ["task", "show", "T-0002"] }]
          }
        })
        expect(yield* statuses(cwd)).toEqual(["done", "todo"])
      })
    )
  )
})

describe("phases", () => {
  it.live("are gone through in one checkpoint, each in a conversation of its own with its own settings", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], {
          phases: 3,
          ofPhases: { plan: { ...Task.noSettings, model: "opus" }, review: { ...Task.noSettings, thinking: "high" } }
        })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        const plan = yield* next(script, "THE PLAN")
        const implement = yield* next(script, "IMPLEMENTED")
        const review = yield* next(script, "ALL GOOD")
        yield* Fiber.join(loop)
        expect(script.started).toHaveLength(3)
        const ids = [plan, implement, review].map(({ request }) =>
          request.conversation._tag === "New" ? request.conversation.id : null
        )
        expect(ids.map((id) => id?.replace(/\d+$/, ""))).toEqual([
          "id-of-T-0001-p1-",
          "id-of-T-0001-p2-",
          "id-of-T-0001-p3-"
        ])
        expect(
          [plan, implement, review].map(({ request }) => [request.model, request.thinking, request.permission])
        ).toEqual([
          ["opus", null, "read"],
          [null, null, "edit"],
          [null, "high", "edit"]
        ])
        expect(implement.request.prompt).toContain("THE PLAN")
        expect(implement.request.prompt).toContain("the task")
        expect(review.request.prompt).toContain("IMPLEMENTED")
        const [run] = into.runs
        expect(run).toMatchObject({ state: "completed", progress: { phase: 2 } })
        expect(
          run?.progress.phases.map(({ name, state, providerSession }) => [name, state, providerSession?.id])
        ).toEqual([
          ["plan", "completed", ids[0]],
          ["implement", "completed", ids[1]],
          ["review", "completed", ids[2]]
        ])
        const events = run === undefined ? [] : yield* timeline(run.id)
        expect(
          ofKind(events, "phase_entered").map(({ phase, payload }) => [phase, payload.name, payload.handover])
        ).toEqual([
          [1, "plan", null],
          [2, "implement", "THE PLAN"],
          [3, "review", "IMPLEMENTED"]
        ])
        expect(run?.progress.position.messages).toBe(1)
      })
    )
  )

  it.live("usage of all phases is that of the run", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], { phases: 2 })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        for (const [cumulative, inputTokens] of [
          [false, 10],
          [true, 100]
        ] as const) {
          const started = yield* script.next
          yield* started.say(
            open(started),
            RunEvent.RunEvent.UsageReported({ usage: { inputTokens, outputTokens: 1, costUsd: 0.5 }, cumulative }),
            success(),
            exited(0)
          )
        }
        yield* Fiber.join(loop)
        expect(into.runs[0]?.progress.usage).toEqual({ inputTokens: 110, outputTokens: 2, costUsd: 1 })
      })
    )
  )

  it.live("a stop between two phases ends the run, and no phase is begun after it", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], { phases: 2, gate: gate("sleep 30") })
        const into = heard()
        const loop = yield* Effect.fork(
          runLoop(loopRequest(cwd), into, {
            follow: (run) =>
              Effect.gen(function* () {
                yield* Effect.fork(Effect.delay(run.stop("shutdown"), 1500))
                return { checkpoint: yield* Effect.orDie(run.outcome), signalled: true }
              })
          })
        )
        yield* next(script)
        yield* next(script)
        const end = yield* Fiber.join(loop)
        expect(end).toMatchObject({ outcome: "signalled" })
        expect(end.runs[0]).toMatchObject({
          state: "interrupted",
          reason: { code: "shutdown" },
          progress: { phase: 1 }
        })
        expect(yield* statuses(cwd)).toEqual(["doing"])
      })
    )
  )
})

describe("the gate", () => {
  it.live("sends the same conversation back to work until it passes", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], {
          gate: gate(
            "echo x >> count; n=$(wc -l < count); echo failing number $n of the password hunt''er2 $n; test $n -ge 3"
          )
        })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        const first = yield* next(script)
        const second = yield* next(script)
        const third = yield* next(script)
        yield* Fiber.join(loop)
        const session = first.request.conversation._tag === "New" ? first.request.conversation.id : null
        for (const { request } of [second, third]) {
          expect(request.conversation).toMatchObject({ _tag: "Continue", id: session })
          expect(request.prompt).toContain("failing number")
          expect(request.prompt).not.toContain("the task")
          expect(request.prompt).not.toContain("hunter2")
        }
        const [run] = into.runs
        expect(run).toMatchObject({ state: "completed" })
        const events = run === undefined ? [] : yield* timeline(run.id)
        expect(
          ofKind(events, "gate_finished").map(({ payload }) => [payload.ok, payload.attempt, payload.verdict])
        ).toEqual([
          [false, 1, "fix"],
          [false, 2, "fix"],
          [true, 3, "passed"]
        ])
        const order = kindsOf(events).filter((kind) => kind.startsWith("gate") || kind === "resume_decision")
        expect(order).toEqual([
          "gate_started",
          "gate_finished",
          "resume_decision",
          "gate_started",
          "gate_finished",
          "resume_decision",
          "gate_started",
          "gate_finished"
        ])
        expect(ofKind(events, "resume_decision")[0]?.payload).toMatchObject({
          scope: "continue_session",
          status: "resuming_same_session",
          reason: "session_valid",
          task_id: "T-0001"
        })
        expect(JSON.stringify([run, events])).not.toContain("hunter2")
      })
    )
  )

  it.live("the same failure three times ends it early, as failed, and the task can go on", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], { gate: gate("echo always the same; exit 4") })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { kind: "one" }), into))
        yield* next(script)
        yield* next(script)
        yield* next(script)
        const end = yield* Fiber.join(loop)
        expect(script.started).toHaveLength(3)
        expect(into.runs[0]).toMatchObject({ state: "failed", reason: { code: "gate_failed", exitCode: 4 } })
        expect(into.runs[0]?.reason?.detail).toContain("always the same")
        expect(end).toMatchObject({ outcome: "done" })
        expect(yield* statuses(cwd)).toEqual(["doing"])
      })
    )
  )

  it.live("what failed before it passed is over: a later phase has all its tries", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        // Fails in the same way at its 1st, 2nd, 4th and 5th run.
        yield* addTasks(cwd, ["the task"], {
          phases: 3,
          gate: gate("echo x >> count; echo same; n=$(wc -l < count); test $n -eq 3 || test $n -eq 6")
        })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        for (let turn = 0; turn < 7; turn++) yield* next(script)
        yield* Fiber.join(loop)
        expect(into.runs[0]).toMatchObject({ state: "completed" })
        const events = into.runs[0] === undefined ? [] : yield* timeline(into.runs[0].id)
        expect(
          ofKind(events, "gate_finished").map(({ phase, payload }) => [phase, payload.attempt, payload.verdict])
        ).toEqual([
          [2, 1, "fix"],
          [2, 2, "fix"],
          [2, 3, "passed"],
          [3, 1, "fix"],
          [3, 2, "fix"],
          [3, 3, "passed"]
        ])
      })
    )
  )

  it.live("an unknown failure while it is put right ends the run, keeps the conversation, and is not begun anew", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], { gate: gate("test -e ok") })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { onLostSession: "fresh", kind: "one" }), into))
        const first = yield* next(script)
        const fixing = yield* script.next
        yield* fixing.say(
          RunEvent.RunEvent.Failed({
            failure: { code: "provider_error", text: "what?", resetsAt: null, status: null, lostSession: null }
          }),
          exited(1)
        )
        yield* Fiber.join(loop)
        expect(script.started).toHaveLength(2)
        const session = first.request.conversation._tag === "New" ? first.request.conversation.id : null
        expect(into.runs[0]).toMatchObject({
          state: "failed",
          reason: { code: "provider_error" },
          progress: { phases: [{ providerSession: { id: session } }] }
        })
        const again = yield* Effect.fork(runLoop(loopRequest(cwd, { resume: "yes", kind: "one" })))
        writeFileSync(join(cwd, "ok"), "")
        expect((yield* next(script)).request.conversation).toMatchObject({ _tag: "Continue", id: session })
        yield* Fiber.join(again)
        expect(yield* statuses(cwd)).toEqual(["done"])
      })
    )
  )

  it.live("ten failures in all end it, however different they are", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], {
          gate: gate(
            'echo x >> count; head -c $(wc -l < count) "$0" 2>/dev/null; printf "%0.sab" $(seq $(wc -l < count)); exit 1'
          )
        })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { kind: "one" }), into))
        const answering = yield* Effect.fork(Effect.forever(next(script)))
        yield* Fiber.join(loop)
        yield* Fiber.interrupt(answering)
        expect(script.started).toHaveLength(10)
        expect(into.runs[0]?.reason?.message).toContain("failed 10 times")
      })
    )
  )

  it.live("given up, the person decides: go on with a hint, or put the folder back", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], { gate: gate("echo same; echo work > work.txt; exit 1") })
        const into = heard()
        let asked = 0
        const loop = yield* Effect.fork(
          runLoop(loopRequest(cwd, { kind: "one", revert: "ask" }), into, {
            gateGaveUp: ({ why, failures }) =>
              Effect.sync(() => {
                asked += 1
                expect(why).toBe("same_failure")
                expect(failures).toBe(3)
                return asked === 1 ? { goOn: "LOOK AT THE FIXTURE" } : ("revert" as const)
              })
          })
        )
        for (let n = 0; n < 3; n++) yield* next(script)
        const hinted = yield* next(script)
        expect(hinted.request.prompt).toContain("LOOK AT THE FIXTURE")
        yield* next(script)
        yield* next(script)
        yield* Fiber.join(loop)
        const [run] = into.runs
        expect(run?.reason?.detail).toMatch(/saved as the branch alluka\/T-0001-/)
        const events = run === undefined ? [] : yield* timeline(run.id)
        expect(ofKind(events, "notice").at(-1)?.payload).toMatchObject({
          reverted: true,
          saved_as: expect.stringMatching(/^alluka\/T-0001-/)
        })
        const { existsSync } = yield* Effect.promise(() => import("node:fs"))
        expect(existsSync(`${cwd}/work.txt`)).toBe(false)
      })
    )
  )

  it.live("is not run after planning, and runs after every phase that may change files", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], { phases: 3, gate: gate("true") })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        for (let n = 0; n < 3; n++) yield* next(script)
        yield* Fiber.join(loop)
        const [run] = into.runs
        const events = run === undefined ? [] : yield* timeline(run.id)
        expect(ofKind(events, "gate_finished").map(({ phase }) => phase)).toEqual([2, 3])
      })
    )
  )

  it.live("that cannot be started ends the run; no agent is asked to mend that", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], { gate: { argv: ["/no/such/gate"], shell: false, timeoutMs: 1000 } })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd, { kind: "one" }), into))
        yield* next(script)
        yield* Fiber.join(loop)
        expect(into.runs[0]).toMatchObject({ state: "failed", reason: { code: "gate_failed" } })
        expect(into.runs[0]?.reason?.message).toContain("/no/such/gate")
      })
    )
  )

  it.live("a conversation that the provider does not have any more is begun anew, narrated, once", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"], { gate: gate("test -e ok") })
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        yield* next(script, "first try")
        const lost = yield* script.next
        yield* lost.say(
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
        const fresh = yield* script.next
        expect(fresh.request.conversation._tag).toBe("New")
        expect(fresh.request.prompt).toContain("the task")
        expect(fresh.request.prompt).toContain("first try")
        const { writeFileSync } = yield* Effect.promise(() => import("node:fs"))
        writeFileSync(`${cwd}/ok`, "")
        yield* does(fresh)
        yield* Fiber.join(loop)
        const [run] = into.runs
        expect(run).toMatchObject({ state: "completed" })
        const decisions = ofKind(run === undefined ? [] : yield* timeline(run.id), "resume_decision")
        expect(decisions.map(({ payload }) => [payload.status, payload.reason])).toEqual([
          ["resuming_same_session", "session_valid"],
          ["falling_back_to_fresh_invocation", "provider_session_invalid"]
        ])
      })
    )
  )
})

describe("a killed provider", () => {
  it.live("goes on in the same conversation by itself, a bounded number of times", () =>
    inTaskWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        yield* addTasks(cwd, ["the task"])
        const into = heard()
        const loop = yield* Effect.fork(runLoop(loopRequest(cwd), into))
        for (let n = 0; n < 6; n++) {
          const started = yield* script.next
          if (n > 0) {
            expect(started.request.conversation._tag).toBe("Continue")
            expect(started.request.prompt).toContain("SIGKILL")
          }
          yield* started.say(open(started), said("working"), exited(null, "SIGKILL"))
        }
        const end = yield* Fiber.join(loop)
        expect(end).toMatchObject({ outcome: "blocked", blocked: { reason: "provider_killed" } })
        expect(into.runs).toHaveLength(1)
        expect(script.started).toHaveLength(6)
        expect(yield* statuses(cwd)).toEqual(["doing"])
      })
    )
  )
})

describe("what people write", () => {
  it.live("is redacted, bounded, and refused where a secret would be stored to be run", () =>
    inTaskWorld({}, ({ cwd }) =>
      Effect.gen(function* () {
        const tasks = yield* Tasks.Tasks
        const [task] = yield* addTasks(cwd, ["use hunter2"])
        expect(task).toMatchObject({ prompt: "use [redacted]", promptRedacted: true, title: "use [redacted]" })
        expect(yield* Effect.flip(addTasks(cwd, ["  "]))).toMatchObject({ _tag: "TaskInvalid", what: "prompt" })
        expect(yield* Effect.flip(addTasks(cwd, ["x".repeat(300_000)]))).toMatchObject({ what: "prompt" })
        expect(yield* Effect.flip(addTasks(cwd, ["x"], { gate: gate("curl -u a:hunter2") }))).toMatchObject({
          what: "gate"
        })
        expect((yield* tasks.find("t-1")).id).toBe("T-0001")
        expect(yield* Effect.flip(tasks.find("T-77"))).toMatchObject({ _tag: "TaskNotFound", id: "T-0077" })
        expect(yield* Effect.flip(tasks.find("what"))).toMatchObject({ _tag: "TaskInvalid", what: "id" })
      })
    )
  )

  it.live("is refused at once where no provider could do it, and nothing of it is stored", () =>
    inTaskWorld({}, ({ cwd }) =>
      Effect.gen(function* () {
        const tasks = yield* Tasks.Tasks
        const claude = { ...Task.noSettings, provider: "claude" }
        const wrong: ReadonlyArray<readonly [Partial<Task.Plan>, string]> = [
          [{ settings: { ...Task.noSettings, provider: "nobody" } }, "ProviderUnknown"],
          [{ settings: { ...claude, thinking: "enormous" } }, "SettingUnsupported"],
          [{ ofPhases: { review: { ...Task.noSettings, provider: "nobody" } } }, "ProviderUnknown"],
          [{ settings: claude, ofPhases: { plan: { ...Task.noSettings, thinking: "enormous" } } }, "SettingUnsupported"]
        ]
        for (const [plan, tag] of wrong) {
          expect(yield* Effect.flip(addTasks(cwd, ["one", "two"], plan))).toMatchObject({ _tag: tag })
        }
        expect((yield* tasks.list({ folder: null, statuses: [] })).items).toEqual([])
        const [task] = yield* addTasks(cwd, ["one\ntwo"], { settings: claude })
        const id = task?.id ?? Task.taskId("T", 9)
        const unknown = { ...Task.noPlan, settings: { ...Task.noSettings, provider: "nobody" } }
        expect(yield* Effect.flip(tasks.edit(id, { plan: unknown }))).toMatchObject({ _tag: "ProviderUnknown" })
        expect(yield* tasks.edit(id, { title: "better" })).toMatchObject({ title: "better", plan: task?.plan })
        expect((yield* tasks.edit(id, { title: "" })).title).toBe("one")
        expect((yield* tasks.edit(id, { prompt: "three", title: "" })).title).toBe("three")
      })
    )
  )
})
