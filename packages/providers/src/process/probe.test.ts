import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { script, tempFolder } from "../testing/support.js"
import { probe, versionIn, versionOf } from "./probe.js"

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

  it.each([
    ["on stdout", { code: 0, stdout: "0.61.0\n", stderr: "node 20.1.0 is old" }, "0.61.0"],
    ["on stderr alone, as pi 0.73.1 does", { code: 0, stdout: "", stderr: "0.73.1\n" }, "0.73.1"],
    ["and fails", { code: 1, stdout: "0.61.0\n", stderr: "" }, null]
  ] as const)("takes the version of a program that prints it %s", (_, answer, version) => {
    assert.strictEqual(versionOf(answer), version)
  })
})
