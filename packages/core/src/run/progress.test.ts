import { describe, expect, it } from "vitest"
import { currentPhase } from "../checkpoint/Checkpoint.js"
import { RunEvent } from "../provider/RunEvent.js"
import { noon, samplePhase, sampleProgress } from "../testing/samples.js"
import { type Folding, fold, folding } from "./progress.js"

const context = { now: noon + 5, redact: (text: string) => text.replaceAll("hunter2", "[redacted]") }
const start = (change: Partial<typeof sampleProgress> = {}, expected: string | null = null): Folding =>
  folding({ ...sampleProgress, position: { ...sampleProgress.position, turn: 0, messages: 0 }, ...change }, expected)
const run = (state: Folding, ...events: ReadonlyArray<RunEvent>) =>
  events.reduce(
    (at, event) => {
      const folded = fold(at.state, event, context)
      return { state: folded.state, events: [...at.events, ...folded.events], urgency: folded.urgency }
    },
    {
      state,
      events: [] as ReadonlyArray<ReturnType<typeof fold>["events"][number]>,
      urgency: "lazy" as ReturnType<typeof fold>["urgency"]
    }
  )

const named = (id: string, confirms = true) => RunEvent.SessionNamed({ id, location: null, confirms })
const unnamed = { phases: [{ ...samplePhase, providerSession: null }] }
const chosen = (id: string) => ({
  phases: [{ ...samplePhase, providerSession: { id, assignedBy: "caller" as const, seenAt: null, location: null } }]
})

describe("the provider session", () => {
  it("is committed before anything else when it is first named", () => {
    const after = run(start(unnamed), named("s1"))
    expect(after.urgency).toBe("barrier")
    expect(currentPhase(after.state.progress).providerSession).toEqual({
      id: "s1",
      assignedBy: "provider",
      seenAt: noon + 5,
      location: null
    })
    expect(after.events.map(({ kind }) => kind)).toEqual(["provider_session"])
  })

  it("keeps that the caller chose the id, and when it was first seen", () => {
    const after = run(start(chosen("s1"), "s1"), named("s1"), named("s1"))
    expect(currentPhase(after.state.progress).providerSession).toMatchObject({ assignedBy: "caller", seenAt: noon + 5 })
    expect(after.events).toHaveLength(1)
  })

  it("another id than the one asked for is a mismatch, and the recorded id stays", () => {
    const after = run(start(chosen("s1"), "s1"), named("s2"))
    expect(after.state.mismatch).toEqual({ expected: "s1", got: "s2" })
    expect(currentPhase(after.state.progress).providerSession?.id).toBe("s1")
    expect(after.state.confirmed).toBe(false)
  })

  it("an announcement that proves nothing does not confirm; a later proof does", () => {
    const announced = run(start(unnamed), named("s1", false))
    expect(announced.state.confirmed).toBe(false)
    const proven = run(announced.state, named("s1", true))
    expect(proven.state.confirmed).toBe(true)
    expect(proven.urgency).toBe("barrier")
  })

  it("once named, a second id within the run is a mismatch too", () => {
    expect(run(start(unnamed), named("s1"), named("s2")).state.mismatch).toEqual({ expected: "s1", got: "s2" })
  })
})

describe("the position", () => {
  it("counts messages and turns, and holds the open tool until it ends", () => {
    const open = run(
      start(),
      RunEvent.TurnStarted(),
      RunEvent.Message({ role: "assistant", id: "m1", text: "hi" }),
      RunEvent.ToolStarted({ id: "t1", name: "Edit", summary: "a.ts" })
    )
    expect(open.state.progress.position).toMatchObject({
      turn: 1,
      messages: 1,
      lastMessageId: "m1",
      openTool: { id: "t1", name: "Edit", since: noon + 5 }
    })
    expect(open.urgency).toBe("soon")
    const other = run(open.state, RunEvent.ToolFinished({ id: "t9", ok: true, summary: "" }))
    expect(other.state.progress.position.openTool?.id).toBe("t1")
    const closed = run(other.state, RunEvent.ToolFinished({ id: "t1", ok: false, summary: "" }))
    expect(closed.state.progress.position.openTool).toBeNull()
    expect(closed.events[0]?.message).toBe("Edit failed")
  })

  it("of tools that are at work side by side, names the newest that has not answered", () => {
    const started = (id: string) => RunEvent.ToolStarted({ id, name: `Tool ${id}`, summary: "" })
    const finished = (id: string) => RunEvent.ToolFinished({ id, ok: true, summary: "" })
    const openAfter = (...events: ReadonlyArray<RunEvent>) =>
      run(start(), ...events).state.progress.position.openTool?.id ?? null
    expect(openAfter(started("a"), started("b"))).toBe("b")
    expect(openAfter(started("a"), started("b"), finished("b"))).toBe("a")
    expect(openAfter(started("a"), started("b"), finished("a"))).toBe("b")
    expect(openAfter(started("a"), started("b"), finished("b"), finished("a"))).toBeNull()
    expect(openAfter(started("a"), started("a"), finished("a"))).toBeNull()
    expect(run(start(), started("a"), started("b"), finished("a")).events.at(-1)?.message).toBe("Tool a finished")
    // One that never told of its end is over when the model goes on.
    expect(openAfter(started("a"), started("b"), finished("b"), RunEvent.TurnStarted())).toBeNull()
    expect(openAfter(...Array.from({ length: 1000 }, (_, number) => started(`t${number}`)))).toBe("t999")
  })
})

describe("usage", () => {
  const usage = { inputTokens: 300, outputTokens: 70, costUsd: null }
  it("subtracts what the session had used before from cumulative figures", () => {
    const before = { inputTokens: 100, outputTokens: 20, costUsd: null }
    const { progress } = run(
      start({ cumulativeUsage: before }),
      RunEvent.UsageReported({ usage, cumulative: true })
    ).state
    expect(progress.usage).toEqual({ inputTokens: 200, outputTokens: 50, costUsd: null })
    expect(progress.cumulativeUsage).toEqual(usage)
  })

  it("subtracts only the cost where only the cost is cumulative", () => {
    const before = { inputTokens: 0, outputTokens: 0, costUsd: 0.5 }
    const { progress } = run(
      start({ cumulativeUsage: before }),
      RunEvent.UsageReported({ usage, cumulative: false, sessionCostUsd: 0.75 })
    ).state
    expect(progress.usage).toEqual({ inputTokens: 300, outputTokens: 70, costUsd: 0.25 })
    expect(progress.cumulativeUsage?.costUsd).toBe(0.75)
  })

  it("is never negative, whatever a provider reports", () => {
    const before = { inputTokens: 1000, outputTokens: 1000, costUsd: null }
    const { progress } = run(
      start({ cumulativeUsage: before }),
      RunEvent.UsageReported({ usage, cumulative: true })
    ).state
    expect(progress.usage).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: null })
  })
})

describe("what is stored", () => {
  it("is redacted in messages, tools, denials, notices and errors alike", () => {
    const { state, events } = run(
      start(),
      RunEvent.Message({ role: "assistant", id: null, text: "the password is hunter2" }),
      RunEvent.ToolStarted({ id: "t", name: "hunter2", summary: "login hunter2" }),
      RunEvent.ToolFinished({ id: "t", ok: true, summary: "hunter2 ok" }),
      RunEvent.Denied({ tool: "hunter2", detail: "hunter2" }),
      RunEvent.Notice({ text: "hunter2" }),
      RunEvent.Retrying({ text: "hunter2", until: null }),
      RunEvent.LineDropped({ why: "skipped", excerpt: "hunter2" }),
      RunEvent.Failed({
        failure: { code: "provider_error", text: "hunter2", resetsAt: null, status: null, lostSession: null }
      }),
      RunEvent.Exited({ exit: { code: 1, signal: null }, stderrTail: "hunter2" })
    )
    expect(JSON.stringify({ state, events })).not.toContain("hunter2")
    expect(events.length).toBeGreaterThan(6)
  })

  it("is bounded to 4 KiB a piece, and says so", () => {
    const { events } = run(start(), RunEvent.Message({ role: "assistant", id: null, text: "ä".repeat(5000) }))
    const payload = events[0]?.payload as { readonly text: string; readonly truncated: boolean }
    expect(new TextEncoder().encode(payload.text).length).toBeLessThanOrEqual(4096)
    expect(payload.truncated).toBe(true)
  })

  it("tells a model that differs from the one asked for", () => {
    const { events } = run(start(), RunEvent.SettingsReported({ model: "other", thinking: null, permission: null }))
    expect(events[0]?.message).toBe("model requested opus[1m], actual other")
  })

  it("notes a non-zero exit after a success", () => {
    const { events } = run(
      start(),
      RunEvent.Succeeded({ text: "done" }),
      RunEvent.Exited({ exit: { code: 1, signal: null }, stderrTail: "" })
    )
    expect(events.map(({ message }) => message)).toEqual([
      "the provider reported success and then ended with exit code 1"
    ])
  })

  it("keeps the first terminal error", () => {
    const error = (text: string) =>
      RunEvent.Failed({ failure: { code: "provider_error", text, resetsAt: null, status: null, lostSession: null } })
    expect(run(start(), error("first"), error("second")).state.failure?.text).toBe("first")
  })

  it("counts dropped lines and tells of the first", () => {
    const drop = RunEvent.LineDropped({ why: "oversize", excerpt: "x" })
    const after = run(
      start(),
      drop,
      drop,
      RunEvent.LineRead({ from: "stdout", text: "{}" }),
      RunEvent.LineRead({ from: "stderr", text: "e" })
    )
    expect(after.state.progress.stream).toEqual({ lines: 10, skipped: 0, oversize: 2 })
    expect(after.events).toHaveLength(1)
  })
})
