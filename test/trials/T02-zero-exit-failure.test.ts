/** T02: an exit code alone never makes a success, or a failure. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import * as claude from "../support/stub/claudeStream.js"
import { exit, type Steps, stderr } from "../support/stub/script.js"
import { openWorld, type World } from "../support/world.js"
import { endedCheckpoint, summaryOf } from "./runs.js"
import { stubs } from "./stubs.js"

const ran = async (world: World, provider: string, steps: Steps) => {
  world.stub(provider, { fresh: steps })
  const ended = await world.run(["run", "--json", "--provider", provider, "-p", "task"])
  return { ended, checkpoint: await endedCheckpoint(world, ended) }
}

describe.each(stubs)("$name", (provider) => {
  test("(a) exit 0 with nothing but an error on stderr is a failure that says so", async () => {
    const world = openWorld()
    const { ended, checkpoint } = await ran(world, provider.name, [
      stderr("NotFoundError: Session not found\n"),
      exit(0)
    ])
    expect(ended.code, describeEnd(ended)).toBe(7)
    expect(checkpoint.state).toBe("failed")
    expect(JSON.stringify(checkpoint.reason)).toContain("NotFoundError: Session not found")
  })

  test("(c) exit 0 with nothing at all ended without a result", async () => {
    const world = openWorld()
    const { ended, checkpoint } = await ran(world, provider.name, [exit(0)])
    expect(ended.code, describeEnd(ended)).toBe(7)
    expect(checkpoint).toMatchObject({ state: "failed", reason: { code: "ended_without_result" } })
    expect(checkpoint.reason?.message).toMatch(/ended without a result/)
  })

  test("(e) a success result and exit 0 is completed", async () => {
    const world = openWorld()
    const { ended, checkpoint } = await ran(world, provider.name, provider.finished)
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(checkpoint).toMatchObject({ state: "completed", reason: null, provider_exit: { code: 0, signal: null } })
  })

  test("a success result and then exit 1 is completed, and the exit code is noted", async () => {
    const world = openWorld()
    const { ended, checkpoint } = await ran(world, provider.name, [...provider.opening, provider.success, exit(1)])
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(checkpoint).toMatchObject({ state: "completed", provider_exit: { code: 1 } })
  })
})

test("(b) claude: a result that says success and means a usage limit", async () => {
  const world = openWorld()
  const limit = claude.apiError(429, "You've hit your session limit")
  const { ended, checkpoint } = await ran(world, "claude", [claude.init(), limit, exit(0)])
  expect(ended.code, describeEnd(ended)).toBe(8)
  expect(checkpoint).toMatchObject({ state: "interrupted", reason: { code: "usage_limit" }, resumable: true })
})

test("(b) claude: the same as the bare line of the report, without any other event", async () => {
  const world = openWorld()
  const bare =
    '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You\'ve hit your session limit"}\n'
  const { ended, checkpoint } = await ran(world, "claude", [{ out: bare }, exit(0)])
  expect(ended.code, describeEnd(ended)).toBe(8)
  expect(checkpoint).toMatchObject({ state: "interrupted", reason: { code: "usage_limit" } })
})

test("(d) claude: a retry, then a success, then exit 1", async () => {
  const world = openWorld()
  const { ended, checkpoint } = await ran(world, "claude", [
    claude.init(),
    claude.retry(529, "overloaded"),
    claude.success(),
    exit(1)
  ])
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(summaryOf(ended)).toMatchObject({ state: "completed", exit_code: 0 })
  expect(checkpoint).toMatchObject({ state: "completed", provider_exit: { code: 1 } })
  const shown = await world.run(["runs", "show", checkpoint.id])
  expect(shown.stdout).toMatch(/exit(ed)?\b.*\b1\b/i)
})
