/** A conversation that is missing, damaged or cut, is another than the one asked for, or is wanted in another folder. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { declaredOf } from "./declared.js"
import { decisionOf, endOf, interrupted, lastHeard, preview, ran, resumed } from "./runs.js"
import { differs } from "./subject.js"
import { subjects } from "./subjects.js"

const lost = { reason: "fresh_start_requires_confirmation", cause: "provider_session_missing", requires: ["fresh"] }

/** Those of whose conversations the id is known while they work. */
const named = subjects.filter(({ announcedAt }) => announcedAt <= 2)

describe.each(named)("$label", (subject) => {
  test("its storage is looked into before it is told that a conversation goes on", async () => {
    const stage = await subject.open()
    const { world } = stage
    const { id, provider_session: session } = await interrupted(subject, stage)
    stage.plan({ do: "finish" })
    const { storage } = subject
    if (storage === null) {
      const { decision } = await preview(stage, id)
      expect(decision).toMatchObject({ status: "resuming_same_session" })
      return
    }
    const file = storage.file(world, session?.id ?? "")
    expect(existsSync(file), file).toBe(true)
    const whole = readFileSync(file, "utf8")
    const whenWhole = await preview(stage, id)
    expect(whenWhole.code).toBe(0)
    expect(["session_file_checked", "history_replayed"]).toContain(whenWhole.decision.continuity)

    const broken = storage.rows ? brokenIn(whole) : "garbage"
    writeFileSync(file, broken)
    const whenBroken = await preview(stage, id)
    expect(whenBroken.decision, broken).toMatchObject({ reason: "provider_session_damaged" })
    expect(whenBroken.code).toBe(5)

    if (storage.rows) {
      writeFileSync(file, `${whole}{"type":"cut off in the mid`)
      const whenCut = await preview(stage, id)
      expect(whenCut.decision).toMatchObject({ status: "resuming_same_session" })
      expect(whenCut.decision.warnings.join("\n")).toMatch(/cut/)
    }

    const starts = stage.heard().length
    rmSync(file)
    const whenGone = await resumed(stage, id, { do: "finish" })
    expect(whenGone.code, describeEnd(whenGone)).toBe(10)
    expect(decisionOf(whenGone)).toMatchObject(lost)
    expect(stage.heard()).toHaveLength(starts)
    writeFileSync(file, whole)
    expect((await preview(stage, id)).code).toBe(0)
  })

  test.skipIf(subject.without.includes("forget"))(
    "its answer that it has no such conversation loses only that attempt",
    async () => {
      const stage = await subject.open()
      const source = await interrupted(subject, stage)
      const ended = await resumed(stage, source.id, { do: "forget" })
      expect(ended.code, describeEnd(ended)).toBe(10)
      expect(decisionOf(ended)).toMatchObject(lost)
      expect(await stage.world.show(source.id)).toMatchObject({
        resumed_by: null,
        provider_session: { id: source.provider_session?.id }
      })
    }
  )

  test.skipIf(subject.without.includes("announce"))(
    "a conversation that is not the one asked for is no continuation",
    async () => {
      const stage = await subject.open()
      const source = await interrupted(subject, stage)
      const other = (source.provider_session?.id ?? "").replace(/[0-9a-f]{12}$/, "000000000000")
      const ended = await resumed(stage, source.id, { do: "announce", id: other })
      expect(ended.code, describeEnd(ended)).toBe(7)
      expect(await endOf(stage, ended)).toMatchObject({ state: "failed", reason: { code: "session_mismatch" } })
      expect(await stage.world.show(source.id)).toMatchObject({ resumed_by: null })
    }
  )

  test("in another folder it goes on, or says that it does not, as it declares", async () => {
    const stage = await subject.open()
    const { world } = stage
    const declared = await declaredOf(subject)
    const source = await interrupted(subject, stage)
    const elsewhere = world.path("elsewhere")
    mkdirSync(elsewhere)
    const ended = await resumed(stage, source.id, { do: "finish" }, ["--cd", elsewhere])
    if (declared.cwd_bound) {
      expect(ended.code, differs(subject, declared, `bound to its folder: ${describeEnd(ended)}`)).toBe(10)
      expect(decisionOf(ended)).toMatchObject({ cause: "continuation_unsupported", requires: ["fresh"] })
      expect(decisionOf(ended).detail).toContain(world.work)
    } else {
      expect(ended.code, differs(subject, declared, `not bound to its folder: ${describeEnd(ended)}`)).toBe(0)
      const { cwd } = lastHeard(stage)
      if (cwd !== undefined) expect(cwd).toBe(elsewhere)
    }
  })

  test("a copy of the conversation has an id of its own, or is refused, as it declares", async () => {
    const stage = await subject.open()
    const declared = await declaredOf(subject)
    const source = await interrupted(subject, stage)
    const ended = await resumed(stage, source.id, { do: "finish" }, ["--fork"])
    if (!declared.fork) {
      expect(ended.code, differs(subject, declared, `it copies nothing: ${describeEnd(ended)}`)).toBe(10)
      expect(decisionOf(ended)).toMatchObject({ cause: "continuation_unsupported" })
      return
    }
    expect(ended.code, differs(subject, declared, `it copies: ${describeEnd(ended)}`)).toBe(0)
    const heard = lastHeard(stage)
    if (heard.session !== undefined) expect(heard.forkOf).toBe(source.provider_session?.id)
    const next = await endOf(stage, ended)
    expect(next.provider_session?.id).not.toBe(source.provider_session?.id)
  })
})

/** With its second row broken. */
const brokenIn = (rows: string): string =>
  rows
    .split("\n")
    .map((row, index) => (index === 1 ? row.slice(0, row.length / 2) : row))
    .join("\n")

const announcing = subjects.filter(({ without }) => !without.includes("announce"))

describe.each(announcing)("$label", (subject) => {
  test("what cannot be an id of its conversations is never passed on", async () => {
    const stage = await subject.open()
    const ended = await ran(subject, stage, { do: "announce", id: "--help" })
    const checkpoint = await endOf(stage, ended)
    const starts = stage.heard().length
    await resumed(stage, checkpoint.id, { do: "finish" })
    for (const { session } of stage.heard().slice(starts)) expect(session).not.toBe("--help")
  })
})
