import { Decide } from "@alluka/core"
import { idOf, sampleFacts } from "@alluka/core/testing"
import { expect, it } from "vitest"
import { problem } from "./errors.js"
import { decodeAnswer, decodeOrder, encodeAnswer, encodeOrder, type LaunchAnswer } from "./launchedProtocol.js"

const answers: ReadonlyArray<LaunchAnswer> = [
  { type: "started", id: idOf("aaaa") },
  { type: "refused", decision: Decide.decide(sampleFacts({ now: 4_000_000_000_000 })) },
  {
    type: "failed",
    problem: problem(4, "provider_not_found", "gone", { hints: [{ argv: ["doctor"], why: "looks" }, "words"] })
  }
]

it.each(answers)("an answer arrives as it was sent: $type", (answer) => {
  const text = encodeAnswer(answer)
  expect(text.indexOf("\n")).toBe(text.length - 1)
  expect(decodeAnswer(text)).toEqual(answer)
})

it("an order arrives with its prompt unchanged", () => {
  const order = { argv: ["run", "--", "-x"], prompt: "line\n\u0000 ✓ 'quoted'", id: idOf("aaaa") }
  expect(decodeOrder(encodeOrder(order))).toEqual(order)
})

it.each(["", "{", "null", '{"type":"started"}', '{"type":"started","id":"ckpt_x"}'])("%j is no answer", (text) =>
  expect(decodeAnswer(text)).toBeNull()
)
