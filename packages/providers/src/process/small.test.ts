import { chmod, mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import fc from "fast-check"
import { program, script, tempFolder } from "../testing/support.js"
import { fullBudget, spend } from "./budget.js"
import { withSignal } from "./exitSignal.js"
import { probe, versionIn } from "./probe.js"
import { makeTail } from "./tail.js"
import { candidates, findProgram } from "./which.js"

describe("the tail of a stream", () => {
  it("is its last bytes, however they came", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary-ascii", maxLength: 30 })),
        fc.integer({ min: 1, max: 40 }),
        (parts, limit) => {
          const tail = makeTail(limit)
          for (const part of parts) tail.push(Buffer.from(part))
          assert.strictEqual(tail.text(), parts.join("").slice(-limit))
        }
      )
    )
  })
})

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

describe("the signal behind an exit", () => {
  it.each([
    [{ code: 143, signal: null }, "SIGTERM"],
    [{ code: 137, signal: null }, "SIGKILL"],
    [{ code: 130, signal: null }, "SIGINT"],
    [{ code: 129, signal: null }, "SIGHUP"],
    [{ code: null, signal: "SIGKILL" }, "SIGKILL"],
    [{ code: 0, signal: null }, null],
    [{ code: 1, signal: null }, null],
    [{ code: 101, signal: null }, null],
    [{ code: 255, signal: null }, null]
  ])("of %j is %s", (exit, signal) => {
    assert.deepStrictEqual(withSignal(exit), { code: exit.code, signal })
  })
})

describe("finding a program", () => {
  it("looks only in absolute folders of PATH, and takes a path as it is", () => {
    assert.deepStrictEqual(candidates("x", "/a::.:b:/c", "/w"), ["/a/x", "/c/x"])
    assert.deepStrictEqual(candidates("./x", "/a", "/w"), ["/w/x"])
    assert.deepStrictEqual(candidates("/p/x", "/a", "/w"), ["/p/x"])
    assert.deepStrictEqual(candidates("", "/a", "/w"), [])
    assert.deepStrictEqual(candidates("a\0b", "/a", "/w"), [])
  })

  it.scopedLive("passes over folders, files that may not be run, and dangling links", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => join(folder, name)) as [string, string, string, string]
      yield* Effect.promise(async () => {
        for (const each of [a, b, c, d]) await mkdir(each)
        await mkdir(join(a, "agent"))
        await symlink("/nowhere", join(c, "agent"))
      })
      const unrunnable = yield* program(b, "agent", "#!/bin/sh\n")
      yield* Effect.promise(() => chmod(unrunnable, 0o644))
      const path = yield* program(d, "agent", "#!/bin/sh\n")
      assert.deepStrictEqual(yield* findProgram("agent", [a, b, c, d].join(":")), Option.some(path))
      assert.deepStrictEqual(yield* findProgram("agent", [a, b, c].join(":")), Option.none())
    })
  )
})

describe("a probe", () => {
  it.scopedLive("answers with what the program printed and how it ended", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(
        folder,
        "agent",
        `console.log("agent 1.2.3", process.argv[2]); console.error("hm"); process.exit(4)`
      )
      const answer = Option.getOrThrow(yield* probe(path, ["--version"], process.env))
      assert.deepStrictEqual(answer, { code: 4, stdout: "agent 1.2.3 --version\n", stderr: "hm\n" })
    })
  )

  it.scopedLive("says nothing about a program that hangs, floods, dies of a signal, or is not there", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const before = performance.now()
      for (const source of [
        "setInterval(() => {}, 1000)",
        `setInterval(() => console.log("x".repeat(100000)), 1)`,
        `process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)`
      ]) {
        assert.deepStrictEqual(
          yield* probe(yield* script(folder, "agent", source), [], process.env, 700),
          Option.none()
        )
      }
      assert.deepStrictEqual(yield* probe("/nowhere/agent", [], process.env), Option.none())
      assert.isBelow(performance.now() - before, 5000)
    })
  )

  it.each([
    ["2.1.332 (Claude Code)", "2.1.332"],
    ["codex-cli 0.171.0\n", "0.171.0"],
    ["v1.0.0-rc.1", "1.0.0-rc.1"],
    ["no version here", null]
  ])("finds the version in %j", (text, version) => {
    assert.strictEqual(versionIn(text), version)
  })
})
