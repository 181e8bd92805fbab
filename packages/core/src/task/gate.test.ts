import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { GateRun } from "./GatePort.js"
import { allFailures, fixMessage, type GateResult, judge, resultOf, sameFailures, storedExcerpt } from "./gate.js"

const printed = (head: string, change: Partial<GateRun> = {}): GateRun => ({
  exitCode: 1,
  signal: null,
  timedOut: false,
  elapsedMs: 1200,
  head,
  tail: "",
  omittedBytes: 0,
  ...change
})
const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]")
const result = (head: string, change: Partial<GateRun> = {}): GateResult => resultOf(printed(head, change), redact)

describe("a gate's result", () => {
  it("is a success only for exit code 0 within its time", () => {
    expect(result("", { exitCode: 0 }).ok).toBe(true)
    expect(result("", { exitCode: 0, timedOut: true }).ok).toBe(false)
    expect(result("", { exitCode: null, signal: "SIGKILL" }).ok).toBe(false)
  })

  it("is redacted, and safe to show", () => {
    expect(result("\u001b[31mpassword hunter2\u001b[0m\n").excerpt).toBe("password [redacted]")
  })

  it("keeps fifty lines of each end, and says how many are left out", () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`)
    const { excerpt } = result(`${lines.join("\n")}\n`)
    expect(excerpt.split("\n")).toEqual([...lines.slice(0, 50), "[... 200 lines left out ...]", ...lines.slice(250)])
  })

  it("keeps all of a short output", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`)
    expect(result(lines.join("\n")).excerpt).toBe(lines.join("\n"))
  })

  it("is bounded whatever was printed, and so is what is stored of it, which is its end", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 3000, unit: "grapheme" }), { maxLength: 120 }),
        fc.array(fc.string({ maxLength: 3000, unit: "grapheme" }), { maxLength: 120 }),
        fc.nat(),
        (head, tail, omittedBytes) => {
          const { excerpt } = result(head.join("\n"), { tail: tail.join("\n"), omittedBytes })
          const stored = storedExcerpt(excerpt)
          return (
            new TextEncoder().encode(excerpt).length <= 17 * 1024 &&
            new TextEncoder().encode(stored.text).length <= 4096 &&
            (stored.truncated || stored.text === excerpt)
          )
        }
      ),
      { numRuns: 60 }
    )
  })
})

describe("the signature of a failure", () => {
  it.each([
    ["times and counts", "FAIL a.test (1.2s)\n12 passed", "FAIL a.test (3.45 s)\n13 passed"],
    ["addresses", "panic at 0x7ffe12ab", "panic at 0x7ffe99ff"],
    ["temporary names", "cannot read /tmp/x-8f3a2b1c9d/a", "cannot read /tmp/x-0011223344/a"],
    ["colours", "\u001b[31mFAIL\u001b[0m a", "FAIL a"]
  ])("does not depend on %s", (_, one, other) => {
    expect(result(one).signature).toBe(result(other).signature)
  })

  it("depends on what failed and how", () => {
    const all = [
      result("FAIL a.test"),
      result("FAIL b.test"),
      result("FAIL a.test", { exitCode: 2 }),
      result("FAIL a.test", { exitCode: null, signal: "SIGSEGV" }),
      result("FAIL a.test", { timedOut: true })
    ]
    expect(new Set(all.map(({ signature }) => signature)).size).toBe(all.length)
  })
})

describe("what follows a failure", () => {
  const fails = (signature: string) => ({ ok: false, signature })

  it("is another try, until it is the same three times in a row", () => {
    expect(judge([], fails("a"))).toBe("fix")
    expect(judge(["a"], fails("a"))).toBe("fix")
    expect(judge(["a", "a"], fails("a"))).toBe("same_failure")
    expect(judge(["a", "a"], fails("b"))).toBe("fix")
    expect(judge(["a", "b", "a"], fails("a"))).toBe("fix")
  })

  it("is the end after ten failures in all, however different", () => {
    const nine = Array.from({ length: allFailures - 1 }, (_, index) => `${index}`)
    expect(judge(nine.slice(1), fails("x"))).toBe("fix")
    expect(judge(nine, fails("x"))).toBe("limit")
  })

  it("never goes on for ever, and never passes what failed", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 30 }), (signatures) => {
        const failures: Array<string> = []
        for (const signature of signatures) {
          const verdict = judge(failures, fails(signature))
          if (verdict === "passed") return false
          if (verdict !== "fix") return failures.length >= sameFailures - 1
          failures.push(signature)
        }
        return failures.length < allFailures
      })
    )
  })

  it("nothing, when it passed", () => {
    expect(judge(["a", "a"], { ok: true, signature: "a" })).toBe("passed")
  })
})

describe("the order to fix it", () => {
  const command = { argv: ["npm", "test"] as const, shell: false, timeoutMs: 1000 }

  it("names the command, how it failed and what it printed", () => {
    const text = fixMessage({ ...command, argv: ["npm", "test"] }, result("FAIL a.test"), 2, "Look at the fixture.")
    expect(text).toContain("npm test")
    expect(text).toContain("exit code 1")
    expect(text).toContain("second time")
    expect(text).toContain("FAIL a.test")
    expect(text).toContain("Look at the fixture.")
  })

  it("says so where it printed nothing, or took too long", () => {
    const text = fixMessage({ ...command, argv: ["x"] }, result("", { timedOut: true, elapsedMs: 90_000 }), 1)
    expect(text).toContain("It printed nothing.")
    expect(text).toContain("longer than 1m 30s")
  })
})
