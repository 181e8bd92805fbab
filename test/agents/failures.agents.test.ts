/** The errors of a model service, as the real programs report them: state, reason and whether it can go on. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { Document, RunSummary } from "../support/documents.js"
import { openRig, type RealAgent, task } from "./rig.js"

interface Case {
  readonly scenario: string
  readonly state: "interrupted" | "failed"
  readonly code: string
}

const cases: Readonly<Record<RealAgent, ReadonlyArray<Case>>> = {
  claude: [
    { scenario: "429 400", state: "interrupted", code: "provider_overloaded" },
    { scenario: "529", state: "interrupted", code: "provider_overloaded" },
    { scenario: "500", state: "interrupted", code: "provider_overloaded" },
    { scenario: "quota", state: "failed", code: "budget_exceeded" },
    { scenario: "401", state: "failed", code: "auth_required" },
    { scenario: "403", state: "failed", code: "auth_required" },
    { scenario: "404", state: "failed", code: "model_unavailable" },
    { scenario: "overflow", state: "failed", code: "context_exhausted" }
  ],
  codex: [
    { scenario: "429", state: "interrupted", code: "provider_overloaded" },
    { scenario: "503", state: "interrupted", code: "provider_overloaded" },
    { scenario: "500", state: "interrupted", code: "provider_overloaded" },
    { scenario: "stream-error", state: "interrupted", code: "provider_overloaded" },
    { scenario: "drop", state: "interrupted", code: "network_lost" },
    { scenario: "quota", state: "failed", code: "budget_exceeded" },
    { scenario: "401", state: "failed", code: "auth_required" },
    { scenario: "403", state: "failed", code: "auth_required" },
    { scenario: "404", state: "failed", code: "model_unavailable" },
    { scenario: "overflow", state: "failed", code: "context_exhausted" }
  ]
}

const exitCode = { interrupted: 8, failed: 7 } as const

describe.each(Object.entries(cases) as ReadonlyArray<[RealAgent, ReadonlyArray<Case>]>)("%s", (agent, rows) => {
  test.each(rows)("{{$scenario}} is $state, $code", async ({ scenario, state, code }) => {
    const rig = await openRig(agent)
    const ended = await rig.world.run(rig.runArgs(`${task} {{${scenario}}}`), { withinMs: 60_000 })
    expect(ended.code, describeEnd(ended)).toBe(exitCode[state])
    const summary = ended.last<RunSummary & Document>("run_summary")
    expect(summary).toMatchObject({ state, reason: { code } })
    expect(await rig.world.show(summary.checkpoint_id ?? "")).toMatchObject({
      state,
      reason: { code },
      resumable: true
    })
    await rig.world.noneMarked(summary.checkpoint_id ?? "")
  })
})

test("claude with a subscription: the usage limit and its reset time come from data", async () => {
  const rig = await openRig("claude", { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-test-dummy" })
  const earliest = Date.now() + 3_590_000
  const ended = await rig.world.run(rig.runArgs(`${task} {{usage}}`))
  expect(ended.code, describeEnd(ended)).toBe(8)
  const { reason, state } = ended.last<RunSummary & Document>("run_summary")
  expect({ state, code: reason?.code, source: reason?.resets_at_source }).toEqual({
    state: "interrupted",
    code: "usage_limit",
    source: "structured"
  })
  const resetsAt = Date.parse(reason?.resets_at ?? "")
  expect(resetsAt).toBeGreaterThanOrEqual(earliest)
  expect(resetsAt).toBeLessThanOrEqual(Date.now() + 3_600_000)
})

test("codex: the usage limit's reset time is read from its words", async () => {
  const rig = await openRig("codex")
  const ended = await rig.world.run(rig.runArgs(`${task} {{usage}}`))
  expect(ended.code, describeEnd(ended)).toBe(8)
  const { reason, state } = ended.last<RunSummary & Document>("run_summary")
  expect({ state, code: reason?.code, source: reason?.resets_at_source }).toEqual({
    state: "interrupted",
    code: "usage_limit",
    source: "text"
  })
  // Codex prints the minute only.
  const inMs = Date.parse(reason?.resets_at ?? "") - Date.now()
  expect(inMs).toBeGreaterThan(3_600_000 - 120_000)
  expect(inMs).toBeLessThanOrEqual(3_600_000)
})
