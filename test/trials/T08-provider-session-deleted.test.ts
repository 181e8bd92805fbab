/** T08: the agent says that the conversation is not there, or fails in a way that says nothing about it. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document } from "../support/documents.js"
import { openWorld } from "../support/world.js"
import { decisionOf, endedCheckpoint, interrupted, resume, summaryOf, task } from "./runs.js"
import { stubs } from "./stubs.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

const lost = {
  status: "refusing_to_resume",
  reason: "fresh_start_requires_confirmation",
  cause: "provider_session_missing",
  requires: ["fresh"]
}

describe.each(stubs)("$name", (provider) => {
  test("(a) a lost conversation is not replaced by a new one quietly", async () => {
    const world = openWorld()
    const source = await interrupted(world, provider)
    world.stub(provider.name, { fresh: provider.finished, resume: provider.noSession })
    const ended = await resume(world, source.id)
    expect(ended.code, describeEnd(ended)).toBe(10)
    const decision = decisionOf(ended)
    expect(decision).toMatchObject(lost)
    expect(decision.alternatives.map((one) => one.argv.join(" ")).join("\n")).toContain("--fresh")
    const starts = world.stubStarts().length - 1
    expect(starts).toBeLessThanOrEqual(1)
    if (starts === 1) {
      expect(await endedCheckpoint(world, ended)).toMatchObject({
        state: "failed",
        reason: { code: "provider_session_missing" },
        resumed_from: source.id
      })
    }
    expect(await world.show(source.id)).toMatchObject({ resumed_by: null, state: "interrupted", resumable: true })
  })

  test("(b) --fresh starts anew, says so before and after, and links the old one", async () => {
    const world = openWorld()
    const source = await interrupted(world, provider)
    world.stub(provider.name, { fresh: provider.finished, resume: provider.noSession })
    const ended = await resume(world, source.id, ["--fresh"])
    expect(ended.code, describeEnd(ended)).toBe(0)
    const decision = decisionOf(ended)
    expect(decision.status).toBe("falling_back_to_fresh_invocation")
    expect(decision.loses.length).toBeGreaterThan(0)
    const next = await endedCheckpoint(world, ended)
    expect(next).toMatchObject({ state: "completed", resumed_from: source.id, root_id: source.id })
    expect(next.provider_session?.id).not.toBe(source.provider_session?.id)
    const call = world.stubStarts().at(-1)
    expect(call?.resumed).toBe(false)
    expect(`${call?.stdin}`).toContain(task)
    const shown = await world.run(["runs", "show", next.id])
    expect(shown.stdout).toMatch(/fresh|new conversation/i)
    const old = await world.show(source.id)
    expect({ state: old.state, reason: old.reason, provider_session: old.provider_session }).toEqual({
      state: source.state,
      reason: source.reason,
      provider_session: source.provider_session
    })
  })

  test.each(["connectionReset", "connectionResetAtOnce"] as const)(
    "(c) %s keeps the id, and the next resume uses it again",
    async (failure) => {
      const world = openWorld()
      const source = await interrupted(world, provider)
      world.stub(provider.name, { fresh: provider[failure] })
      const ended = await resume(world, source.id)
      expect([7, 8], describeEnd(ended)).toContain(ended.code)
      const attempt = await endedCheckpoint(world, ended)
      expect(["provider_error", "network_lost"]).toContain(attempt.reason?.code)
      const now = await world.show(source.id)
      expect(now.provider_session?.id).toBe(source.provider_session?.id)

      world.stub(provider.name, { fresh: provider.finished })
      const again = await resume(world, now.resumed_by ?? source.id)
      expect(again.code, describeEnd(again)).toBe(0)
      expect(world.stubStarts().at(-1)).toMatchObject({ resumed: true, session: source.provider_session?.id })
    }
  )

  test("(d) three times the same: three single attempts, no loop, nothing that grows unseen", async () => {
    const world = openWorld()
    const source = await interrupted(world, provider)
    world.stub(provider.name, { fresh: provider.finished, resume: provider.noSession })
    const messages = []
    for (const _round of [1, 2, 3]) {
      const before = world.stubStarts().length
      const ended = await resume(world, source.id)
      expect(ended.code, describeEnd(ended)).toBe(10)
      expect(summaryOf(ended).exit_code).toBe(10)
      expect(decisionOf(ended)).toMatchObject(lost)
      expect(world.stubStarts().length - before).toBeLessThanOrEqual(1)
      messages.push(decisionOf(ended).message)
    }
    expect(new Set(messages).size).toBe(1)
    const { items } = await world.json<List>(["runs", "list", "--all"])
    expect(items.length).toBeLessThanOrEqual(4)
    expect(items.filter((one) => one.resumed_by !== null)).toEqual([])
    expect((await world.json<List>(["runs", "list"])).items.map((one) => one.id)).toEqual([source.id])
  })
})
