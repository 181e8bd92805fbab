/** A conversation that is missing, damaged or cut, is another than the one asked for, or is wanted in another folder or as a copy. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document, RunSummary } from "../support/documents.js"
import { declaredOf } from "./declared.js"
import { decisionOf, endOf, interrupted, lastHeard, preview, ran, resumed } from "./runs.js"
import { differs, isNamedEarly, type Stage, type Storage, type Subject } from "./subject.js"
import { subjects } from "./subjects.js"

const lost = { reason: "fresh_start_requires_confirmation", cause: "provider_session_missing", requires: ["fresh"] }

/** Those of whose conversations the id is known while they work. */
const named = subjects.filter(isNamedEarly)

describe.each(named)("$label", (subject) => {
  test("a conversation that cannot go on as it is is told, whatever is wrong with it", async () => {
    const stage = await subject.open()
    const declared = await declaredOf(subject)
    const source = await interrupted(subject, stage)
    if (subject.storage !== null) await lookedInto(subject.storage, stage, source)

    if (!subject.without.includes("forget")) {
      const ended = await resumed(stage, source.id, { do: "forget" })
      expect(ended.code, describeEnd(ended)).toBe(10)
      expect(decisionOf(ended), "the provider answers that it has no such conversation").toMatchObject(lost)
    }
    if (!subject.without.includes("announce")) {
      const other = (source.provider_session?.id ?? "").replace(/[0-9a-f]{12}$/, "000000000000")
      const ended = await resumed(stage, source.id, { do: "announce", id: other })
      expect(ended.code, describeEnd(ended)).toBe(7)
      expect(ended.last("run_summary"), "another conversation than the one asked for is no continuation").toMatchObject(
        {
          state: "failed",
          reason: { code: "session_mismatch" }
        }
      )
    }
    // None of this has touched the run that can go on.
    const elsewhere = stage.world.path("elsewhere")
    mkdirSync(elsewhere)
    const moved = await resumed(stage, source.id, { do: "finish" }, ["--cd", elsewhere])
    let went = moved
    if (declared.cwd_bound) {
      expect(moved.code, differs(subject, declared, `bound to its folder: ${describeEnd(moved)}`)).toBe(10)
      expect(decisionOf(moved)).toMatchObject({ cause: "continuation_unsupported", requires: ["fresh"] })
      expect(decisionOf(moved).detail).toContain(stage.world.work)
      went = await resumed(stage, source.id, { do: "finish" })
      expect(went.code, describeEnd(went)).toBe(0)
    } else {
      expect(moved.code, differs(subject, declared, `not bound to its folder: ${describeEnd(moved)}`)).toBe(0)
      const { cwd } = lastHeard(stage)
      if (cwd !== undefined) expect(cwd).toBe(elsewhere)
    }
    expect(await endOf(stage, went)).toMatchObject({
      state: "completed",
      root_id: source.id,
      provider_session: { id: source.provider_session?.id }
    })
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

/** Its storage is looked into before it is told that a conversation goes on. */
const lookedInto = async (storage: Storage, stage: Stage, source: CheckpointDocument): Promise<void> => {
  const file = storage.file(stage.world, source.provider_session?.id ?? "")
  expect(existsSync(file), file).toBe(true)
  const whole = readFileSync(file, "utf8")
  stage.plan({ do: "finish" })
  const whenWhole = await preview(stage, source.id)
  expect(whenWhole.code).toBe(0)
  expect(["session_file_checked", "history_replayed"]).toContain(whenWhole.decision.continuity)

  writeFileSync(file, storage.rows ? brokenIn(whole) : "garbage")
  const whenBroken = await preview(stage, source.id)
  expect(whenBroken.decision, "a broken row").toMatchObject({ reason: "provider_session_damaged" })
  expect(whenBroken.code).toBe(5)

  if (storage.rows) {
    writeFileSync(file, `${whole}{"type":"cut off in the mid`)
    const whenCut = await preview(stage, source.id)
    expect(whenCut.decision, "a cut row").toMatchObject({ status: "resuming_same_session" })
    expect(whenCut.decision.warnings.join("\n")).toMatch(/cut/)
  }

  const starts = stage.heard().length
  const [header = ""] = whole.split("\n")
  if (storage.rows && !header.includes('"user"')) {
    writeFileSync(file, `${header}\n`)
    const whenEmptied = await preview(stage, source.id)
    expect(whenEmptied.decision, "nothing but the header, of a conversation that had begun").toMatchObject(lost)
    expect(whenEmptied.code).toBe(10)
  }

  rmSync(file)
  const whenGone = await resumed(stage, source.id, { do: "finish" })
  expect(whenGone.code, describeEnd(whenGone)).toBe(10)
  expect(decisionOf(whenGone), "no file").toMatchObject(lost)
  expect(stage.heard()).toHaveLength(starts)
  writeFileSync(file, whole)
}

/** With its second row broken. */
const brokenIn = (rows: string): string =>
  rows
    .split("\n")
    .map((row, index) => (index === 1 ? row.slice(0, row.length / 2) : row))
    .join("\n")

const announcing = subjects.filter(({ alike, without }) => alike !== true && !without.includes("announce"))

describe.each(announcing)("$label", (subject: Subject) => {
  test("what cannot be an id of its conversations is never passed on", async () => {
    const stage = await subject.open()
    const ended = await ran(subject, stage, { do: "announce", id: "--help" })
    const starts = stage.heard().length
    await resumed(stage, ended.last<RunSummary & Document>("run_summary").checkpoint_id ?? "", { do: "finish" })
    for (const { session } of stage.heard().slice(starts)) expect(session).not.toBe("--help")
  })
})
