import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PhaseSpec } from "../session/RunSpec.js"
import { type Defaults, handoverOf, isGated, namesProvider, phasePrompt, planned, resumedPhases } from "./phases.js"
import { noPlan, noSettings, type Plan } from "./Task.js"

const defaults = (change: Partial<Defaults> = {}, configured: Partial<Defaults["configured"]> = {}): Defaults => ({
  flags: noSettings,
  phases: null,
  gate: null,
  configured: { settings: noSettings, phases: 1, gate: null, ...configured },
  ...change
})
const gate = (program: string) => ({ argv: [program], shell: false, timeoutMs: 1000 }) as const
const plan = (change: Partial<Plan> = {}): Plan => ({ ...noPlan, ...change })

describe("how a task is done", () => {
  it("in one pass with the only provider, allowed to edit, where nobody says more", () => {
    expect(planned(noPlan, defaults(), "claude")).toEqual({
      phases: [
        {
          name: "run",
          provider: "claude",
          model: null,
          thinking: null,
          permission: "edit",
          providerSession: null,
          cumulativeUsage: null
        }
      ],
      gate: null
    })
  })

  it.each([
    [{ ...noSettings, model: "m-flag" }, "m-flag"],
    [noSettings, "m-phase"]
  ])("flags are stronger than the phase's own setting %#", (flags, model) => {
    const task = plan({
      phases: 2,
      settings: { ...noSettings, model: "m-task" },
      ofPhases: { implement: { ...noSettings, model: "m-phase" } }
    })
    const all = planned(task, defaults({ flags }, { settings: { ...noSettings, model: "m-config" } }), "claude")
    expect(all.phases[1]?.model).toBe(model)
  })

  it("falls back from the task to the configuration", () => {
    const configured = { settings: { ...noSettings, model: "m-config", thinking: "low" }, phases: 3 as const }
    const all = planned(plan({ settings: { ...noSettings, model: "m-task" } }), defaults({}, configured), "claude")
    expect(all.phases.map(({ name, model, thinking }) => [name, model, thinking])).toEqual([
      ["plan", "m-task", "low"],
      ["implement", "m-task", "low"],
      ["review", "m-task", "low"]
    ])
  })

  it("a model named beside another provider is not given to this one", () => {
    const task = plan({ settings: { ...noSettings, provider: "claude", model: "opus" } })
    const all = planned(task, defaults({ flags: { ...noSettings, provider: "codex" } }), "demo")
    expect(all.phases[0]).toMatchObject({ provider: "codex", model: null })
  })

  it("who plans may only read, unless the task says otherwise for that phase", () => {
    const full = { ...noSettings, permission: "full" as const }
    const permissions = (task: Plan) =>
      planned(task, defaults({ flags: full }), "x").phases.map((each) => each.permission)
    expect(permissions(plan({ phases: 2, settings: full }))).toEqual(["read", "full"])
    expect(permissions(plan({ phases: 2, ofPhases: { plan: full } }))).toEqual(["full", "full"])
  })

  it("with the gate of the call, the task or the configuration, and none where none is wanted", () => {
    const configured = { gate: gate("config") }
    expect(planned(noPlan, defaults({}, configured), "x").gate).toEqual(gate("config"))
    expect(planned(plan({ gate: gate("task") }), defaults({}, configured), "x").gate).toEqual(gate("task"))
    expect(planned(plan({ gate: "none" }), defaults({}, configured), "x").gate).toBeNull()
    expect(planned(plan({ gate: gate("task") }), defaults({ gate: "none" }, configured), "x").gate).toBeNull()
  })

  it("needs a provider by another way only where a phase has none", () => {
    const one = { ...noSettings, provider: "claude" }
    expect(namesProvider(noPlan, defaults())).toBe(false)
    expect(namesProvider(plan({ settings: one }), defaults())).toBe(true)
    expect(namesProvider(plan({ phases: 2, ofPhases: { plan: one } }), defaults())).toBe(false)
  })
})

describe("the phases of a resumed run", () => {
  const phase = (name: string, change: Partial<PhaseSpec> = {}): PhaseSpec => ({
    name,
    provider: "claude",
    model: null,
    thinking: null,
    providerSession: null,
    cumulativeUsage: null,
    ...change
  })

  it("after the interrupted one are those planned now, and what differs is named", () => {
    const recorded = [phase("plan"), phase("implement"), phase("review", { model: "old" })]
    const now = [phase("plan"), phase("implement", { model: "x" }), phase("review", { model: "new" })]
    expect(resumedPhases(recorded, 1, now)).toEqual({
      later: [now[2]],
      differences: ["The phase review gets model new; recorded was old."]
    })
  })

  it("are none where the plan has no such phase any more, or nothing after it", () => {
    const recorded = [phase("plan"), phase("implement"), phase("review")]
    expect(resumedPhases(recorded, 1, [phase("run")])).toEqual({
      later: [],
      differences: ["The phase review is not planned any more."]
    })
    expect(resumedPhases(recorded, 0, [phase("plan"), phase("implement")]).later.map(({ name }) => name)).toEqual([
      "implement"
    ])
  })

  it("name what was not planned before", () => {
    const { differences } = resumedPhases([phase("plan"), phase("implement")], 1, [
      phase("plan"),
      phase("implement"),
      phase("review")
    ])
    expect(differences).toEqual(["The phase review was not planned when the run began."])
  })
})

describe("what the agent is told", () => {
  it("holds the task in every phase, and the handover where there is one", () => {
    for (const name of ["run", "plan", "implement", "review"]) {
      expect(phasePrompt(name, "TIDY THE GARDEN", "the plan")).toContain("TIDY THE GARDEN")
    }
    expect(phasePrompt("implement", "t", "STEP ONE")).toContain("STEP ONE")
    expect(phasePrompt("review", "t", "ALL DONE")).toContain("ALL DONE")
    expect(phasePrompt("run", "exactly this", "")).toBe("exactly this")
  })

  it("a handover is bounded", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6000, maxLength: 30_000, unit: "grapheme" }), (text) => {
        return new TextEncoder().encode(handoverOf(text).text).length <= 16 * 1024
      }),
      { numRuns: 20 }
    )
  })

  it("the gate follows every phase that may change files", () => {
    expect(["plan", "implement", "review", "run"].filter(isGated)).toEqual(["implement", "review", "run"])
  })
})
