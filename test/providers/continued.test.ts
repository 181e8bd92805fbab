/** A run with settings, a second writer that is turned away, and a resume that has the conversation and the settings still. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { declaredOf } from "./declared.js"
import { decisionOf, endOf, instruction, lastHeard, resumed, stopped, task, working } from "./runs.js"
import { differs, flagsOf, isNamedEarly, settingsOf } from "./subject.js"
import { subjects } from "./subjects.js"

describe.each(subjects)("$label", (subject) => {
  test("starts with the settings it was given, is no one else's meanwhile, and goes on with all of it", async () => {
    const stage = await subject.open()
    const { world } = stage
    const declared = await declaredOf(subject)
    const settings = settingsOf(declared)
    const { model, permission, thinking, word } = settings
    const flags = flagsOf(settings)
    const run = await working(subject, stage, flags)
    const first = lastHeard(stage)
    expect(first.resumed).toBe(false)
    expect(first.model, differs(subject, declared, "the model is passed")).toBe(model)
    if (thinking !== null) {
      expect(first.thinking, differs(subject, declared, "the thinking level is passed")).toBe(thinking)
    }
    if (first.permission !== undefined && declared.permission_on_resume !== "fixed") {
      expect(first.permission, differs(subject, declared, `permission ${permission} is "${word}"`)).toBe(word)
    }

    // Two writers: the run itself, and a follow-up in its session.
    const starts = stage.heard().length
    const twice = await resumed(stage, run.id, { do: "finish" })
    expect(twice.code, describeEnd(twice)).toBe(6)
    expect(decisionOf(twice).reason).toBe("already_running")
    const live = await world.show(run.id)
    const besides = await world.run(["run", "--json", "--session", live.session_id, "-p", "me too"])
    expect(besides.code, describeEnd(besides)).toBe(6)
    expect(["session_busy", "already_running"]).toContain(decisionOf(besides).reason)
    expect(stage.heard()).toHaveLength(starts)

    const source = await stopped(stage, run)
    expect(source).toMatchObject({ state: "interrupted", reason: { code: "shutdown" } })
    const known = source.provider_session?.id ?? null
    expect(known !== null, differs(subject, declared, `its id is known: ${declared.id_known}`)).toBe(
      declared.continuation !== "none" && (declared.id_known === "before_spawn" || isNamedEarly(subject))
    )
    if (declared.id_assignment === "caller" && first.session !== undefined && known !== null) {
      expect(first.session, differs(subject, declared, "the caller chooses the id")).toBe(known)
    }

    const ended = await resumed(stage, run.id, { do: "finish" })
    if (known === null) {
      expect(ended.code, describeEnd(ended)).toBe(10)
      const cause = declared.continuation === "none" ? "continuation_unsupported" : "missing_provider_session_id"
      expect(decisionOf(ended)).toMatchObject({ reason: "fresh_start_requires_confirmation", cause })
      expect(stage.heard()).toHaveLength(starts)
      return
    }
    expect(ended.code, describeEnd(ended)).toBe(0)
    const decision = decisionOf(ended)
    expect(decision).toMatchObject({
      status: "resuming_same_session",
      reason: declared.continuation === "host_transcript" ? "transcript_replayed" : "session_valid"
    })
    const second = lastHeard(stage)
    expect(second.resumed, differs(subject, declared, "it continues")).toBe(true)
    if (first.session !== undefined) expect(second.session).toBe(known)
    expect(second.model).toBe(model)
    if (thinking !== null) expect(second.thinking).toBe(thinking)
    expect(second.permission).toBe(first.permission)
    for (const setting of ["conversation", "model", "permission", "folder"]) expect(decision.keeps).toContain(setting)
    if (thinking !== null) expect(decision.keeps).toContain("thinking")
    if (second.prompt !== undefined) {
      expect(second.prompt).toContain(instruction)
      expect(second.prompt).not.toContain(task)
    }
    if (second.earlier !== undefined) expect(second.earlier.join("\n")).toContain(task)
    expect(await endOf(stage, ended)).toMatchObject({
      state: "completed",
      attempt: 2,
      root_id: run.id,
      resumed_from: run.id,
      provider_session: { id: known },
      model: { requested: model, ...(declared.reports_model ? { actual: model } : {}) },
      thinking: { requested: thinking },
      permission: { requested: permission }
    })
  })

  test("settings that it does not have are refused before anything is created", async () => {
    const { world, heard, ...stage } = await subject.open()
    stage.plan({ do: "finish" })
    const declared = await declaredOf(subject)
    const missing = (["read", "edit", "full"] as const).find((level) => declared.permissions[level] === null)
    const wrong = [["--thinking", "bogus"], ...(missing === undefined ? [] : [["--permission", missing]])]
    for (const flags of wrong) {
      const refused = await world.run(["run", "--json", "--provider", subject.id, ...flags, "-p", task])
      expect(refused.code, differs(subject, declared, `${flags.join(" ")} is not supported`)).toBe(2)
      expect(refused.stdout).toBe("")
    }
    expect(heard()).toHaveLength(0)
  })
})
