import { Checkpoint, Checkpoints, type Decision, Facts, Resume, RunEvent, Scope } from "@alluka/core"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { exited, named, type Scripted, said } from "./scriptedProvider.js"
import { begin, inWorld } from "./world.js"

const limits = { timeoutMs: null, idleMs: null }
const success = RunEvent.RunEvent.Succeeded({ text: "done" })
const asks = (change: Partial<Facts.ResumeRequest> = {}) => ({ ...Facts.plainRequest, ...change })

/** A run that said something and was then interrupted. */
const interrupted = (cwd: string, script: Scripted) =>
  Effect.gen(function* () {
    const run = yield* begin(cwd)
    const provider = yield* script.next
    const conversation = provider.request.conversation
    yield* provider.say(named(conversation._tag === "New" ? (conversation.id ?? "") : ""), said("first step"))
    yield* run.stop("shutdown")
    return yield* run.outcome
  })

const execute = (id: string, change: Partial<Facts.ResumeRequest> = {}) =>
  Effect.flatMap(Resume.Resume, (resume) => resume.execute(Scope.operator, id, { request: asks(change), limits }))

const started = (resumed: Resume.Resumed) =>
  resumed._tag === "Started" ? resumed.run : expect.fail(`refused: ${resumed.decision.reason}`)
const refused = (resumed: Resume.Resumed): Decision.Decision =>
  resumed._tag === "Refused" ? resumed.decision : expect.fail("it started")

describe("resuming", () => {
  it.live("goes on in the same conversation with the same settings, and the instruction once", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const source = yield* interrupted(cwd, script)
        const run = started(yield* execute(source.id, { instruction: "go on, please" }))
        const provider = yield* script.next
        const session = Checkpoint.currentPhase(source.progress).providerSession?.id
        expect(provider.request).toMatchObject({
          model: "opus[1m]",
          thinking: "high",
          permission: "edit",
          cwd: source.spec.workspace.realPath
        })
        expect(provider.request.conversation).toMatchObject({ _tag: "Continue", id: session })
        expect(provider.request.prompt.split("go on, please")).toHaveLength(2)
        expect(provider.request.prompt).not.toContain("Fix the failing test")
        yield* provider.say(named(session ?? ""), success, exited(0))
        const ended = yield* run.outcome
        expect(ended).toMatchObject({
          state: "completed",
          attempt: 2,
          rootId: source.id,
          resumedFrom: source.id,
          sessionId: source.sessionId
        })
        const checkpoints = yield* Checkpoints.Checkpoints
        expect(yield* checkpoints.get(Scope.operator, source.id)).toEqual({
          ...source,
          resumedBy: ended.id,
          seq: expect.any(Number)
        })
      })
    )
  )

  it.live("an attempt turned away before the conversation leaves its source the tip", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const source = yield* interrupted(cwd, script)
        for (const round of [1, 2, 3]) {
          const run = started(yield* execute(source.id))
          const provider = yield* script.next
          yield* provider.say(
            RunEvent.RunEvent.Failed({
              failure: { code: "network_lost", text: "ECONNRESET", resetsAt: null, status: null, lostSession: null }
            }),
            exited(1)
          )
          const ended = yield* run.outcome
          expect(ended).toMatchObject({ state: "interrupted", attempt: round + 1 })
        }
        const resume = yield* Resume.Resume
        const preview = yield* resume.preview(Scope.operator, source.id)
        expect(preview).toMatchObject({ status: "resuming_same_session", facts: { attempts: 1 } })
      })
    )
  )

  it.live(
    "while an attempt runs every other resume is refused, naming its owner; afterwards the old id is superseded",
    () =>
      inWorld({}, ({ cwd, script }) =>
        Effect.gen(function* () {
          const source = yield* interrupted(cwd, script)
          const run = started(yield* execute(source.id))
          const provider = yield* script.next
          const decision = refused(yield* execute(source.id))
          expect(decision).toMatchObject({
            reason: "already_running",
            facts: { owner: { pid: process.pid }, holder: run.checkpoint.id }
          })
          yield* provider.say(named(Checkpoint.currentPhase(source.progress).providerSession?.id ?? ""), said("x"))
          yield* run.stop("shutdown")
          yield* run.outcome
          expect(refused(yield* execute(source.id))).toMatchObject({
            reason: "checkpoint_superseded",
            facts: { tip: run.checkpoint.id }
          })
          started(yield* execute(run.checkpoint.id))
        })
      )
  )

  it.live("twenty at once: one start", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const source = yield* interrupted(cwd, script)
        const all = yield* Effect.all(
          Array.from({ length: 20 }, () => execute(source.id)),
          { concurrency: "unbounded" }
        )
        expect(all.filter((resumed) => resumed._tag === "Started")).toHaveLength(1)
        for (const resumed of all)
          if (resumed._tag === "Refused") expect(resumed.decision.reason).toBe("already_running")
        expect(script.started).toHaveLength(2)
      })
    )
  )

  it.live("a lost conversation starts fresh only where that is allowed, and says what it hands over", () =>
    inWorld(
      { inspect: { presence: "absent", path: null, detail: null, lastRowAt: null, tailDamaged: false } },
      ({ cwd, script }) =>
        Effect.gen(function* () {
          const source = yield* interrupted(cwd, script)
          expect(refused(yield* execute(source.id))).toMatchObject({
            reason: "fresh_start_requires_confirmation",
            cause: "provider_session_missing",
            requires: ["fresh"]
          })
          const resumed = yield* execute(source.id, { fresh: true })
          expect(resumed.decision).toMatchObject({
            status: "falling_back_to_fresh_invocation",
            loses: ["1 message of conversation"]
          })
          started(resumed)
          const provider = yield* script.next
          expect(provider.request.conversation._tag).toBe("New")
          expect(provider.request.prompt).toContain("Fix the failing test")
          expect(provider.request.prompt).toContain("first step")
        })
    )
  )

  it.live("a preview and a refusal write nothing", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const source = yield* interrupted(cwd, script)
        const checkpoints = yield* Checkpoints.Checkpoints
        const resume = yield* Resume.Resume
        const before = yield* checkpoints.timeline(Scope.operator, source.id)
        yield* resume.preview(Scope.operator, source.id)
        yield* execute(source.id, { cd: "/nowhere/at/all" })
        expect(yield* checkpoints.timeline(Scope.operator, source.id)).toEqual(before)
        expect((yield* checkpoints.lineage(Scope.operator, source.id)).length).toBe(1)
      })
    )
  )

  it.live("a new task in the session of a completed run goes on in its conversation", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const first = yield* begin(cwd)
        const provider = yield* script.next
        const conversation = provider.request.conversation
        yield* provider.say(named(conversation._tag === "New" ? (conversation.id ?? "") : ""), success, exited(0))
        const done = yield* first.outcome
        const resume = yield* Resume.Resume
        const followed = yield* resume.followUp(
          Scope.operator,
          done.sessionId,
          { prompt: "and now the docs", title: null, key: null, labels: {} },
          { request: asks(), limits }
        )
        const run = started(followed)
        expect(followed.decision).toMatchObject({ scope: "continue_session", reason: "session_valid" })
        expect(run.checkpoint).toMatchObject({
          sessionId: done.sessionId,
          attempt: 1,
          resumedFrom: null,
          title: "and now the docs"
        })
        expect((yield* script.next).request).toMatchObject({
          prompt: "and now the docs",
          conversation: { _tag: "Continue" }
        })
      })
    )
  )

  it.live("another agent's checkpoint is not there", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const source = yield* interrupted(cwd, script)
        const resume = yield* Resume.Resume
        const decision = yield* resume.preview(Scope.agent("somebody-else"), source.id)
        expect(decision.reason).toBe("checkpoint_not_found")
      })
    )
  )
})
