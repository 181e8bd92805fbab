import { describe, expect, it } from "vitest"
import { ReasonCode } from "../checkpoint/state.js"
import { DecisionReason } from "../resume/Decision.js"
import { decisionReasonTable, runReasonTable } from "./reasons.js"

describe("the tables of reasons", () => {
  it("hold every reason once, in the order of the closed lists", () => {
    expect(runReasonTable.map(({ code }) => code)).toEqual(ReasonCode.literals)
    expect(decisionReasonTable.map(({ reason }) => reason)).toEqual(DecisionReason.literals)
  })

  it("give a failed run 7, an interrupted one 8, a cancelled one 9", () => {
    const codes = { failed: 7, interrupted: 8, cancelled: 9 } as Readonly<Record<string, number>>
    for (const { state, exitCode } of runReasonTable) expect(exitCode).toBe(codes[state])
  })
})
