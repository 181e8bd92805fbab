import { expect, test } from "vitest"
import { type DeclaredFacts, differences, type Observed } from "./differences.js"

const observed: Observed = {
  continuation: "provider_session",
  id_assignment: "provider",
  id_known: "first_event",
  fork: true,
  survives_kill: true,
  prompt_channel: "stdin",
  reports_model: true
}
const declared: DeclaredFacts = { ...observed, verified_with: "pi 0.73.1, pi 1.6.0" }

test("a declaration that holds has no differences, in each version that it was verified with", () => {
  for (const version of ["0.73.1", "1.6.0"]) {
    expect(differences({ provider: "pi", version }, declared, observed)).toEqual([])
  }
})

const wrong: { readonly [Fact in keyof Observed]: Observed[Fact] } = {
  continuation: "none",
  id_assignment: "caller",
  id_known: "end_only",
  fork: false,
  survives_kill: false,
  prompt_channel: "argument",
  reports_model: false
}

test.each(Object.keys(wrong) as ReadonlyArray<keyof Observed>)(
  "a wrong declaration of %s is one difference, which names the version",
  (fact) => {
    const found = differences({ provider: "pi", version: "1.6.0" }, { ...declared, [fact]: wrong[fact] }, observed)
    expect(found).toEqual([`pi 1.6.0: ${fact} is ${observed[fact]}, and declared as ${wrong[fact]}`])
  }
)

test("another version than the declaration was verified with is a difference, and both are named", () => {
  expect(differences({ provider: "pi", version: "1.7.0" }, declared, observed)).toEqual([
    "pi 1.7.0 was run, and its declaration was verified with pi 0.73.1, pi 1.6.0"
  ])
  expect(differences({ provider: "pi", version: "1.6" }, declared, observed)).toHaveLength(1)
})
