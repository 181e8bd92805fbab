import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { fullBudget, spend } from "./budget.js"

describe("the budget of stderr", () => {
  it("lets a burst through, then holds back and says how much, and recovers with time", () => {
    let budget = fullBudget(0)
    let passed = 0
    for (let i = 0; i < 1000; i++) {
      const asked = spend(budget, 0, 1024)
      budget = asked.budget
      if (asked.pass) passed++
    }
    assert.strictEqual(passed, 256)
    const later = spend(budget, 1000, 1024)
    assert.isTrue(later.pass)
    assert.strictEqual(later.missed, 1000 - 256)
    assert.strictEqual(spend(later.budget, 1000, 1024).missed, 0)
  })

  it("never passes more than the burst and the rate allow", () => {
    const asks = fc.array(fc.record({ wait: fc.nat(50), bytes: fc.nat(20_000) }), { maxLength: 300 })
    fc.assert(
      fc.property(asks, (list) => {
        let [budget, now, passed] = [fullBudget(0), 0, 0]
        for (const { bytes, wait } of list) {
          now += wait
          const asked = spend(budget, now, bytes)
          budget = asked.budget
          if (asked.pass) passed += bytes
        }
        assert.isAtMost(passed, 256 * 1024 + now * 32)
      })
    )
  })
})
