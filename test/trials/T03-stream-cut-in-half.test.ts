/** T03: half a line, a line that is no event, two events on one line. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { exit, type Steps, stdout } from "../support/stub/script.js"
import { openWorld } from "../support/world.js"
import { endedCheckpoint } from "./runs.js"
import { stubs } from "./stubs.js"

const half = '{"type":"assistant","message":{"id":"msg_2","content":[{"type":"te'

describe.each(stubs)("$name", (provider) => {
  const ran = async (rest: Steps) => {
    const world = openWorld()
    world.stub(provider.name, { fresh: [...provider.opening, provider.message("RECEIVED-MESSAGE"), ...rest] })
    const ended = await world.run(["run", "--json", "--provider", provider.name, "-p", "task"])
    const checkpoint = await endedCheckpoint(world, ended)
    expect(checkpoint.provider_session?.id).toBe(world.stubStarts()[0]?.session)
    const shown = await world.run(["runs", "show", checkpoint.id, "--events"])
    expect(shown.stdout, describeEnd(shown)).toContain("RECEIVED-MESSAGE")
    return { ended, checkpoint }
  }

  test("(a) half a line, then exit 1", async () => {
    const { ended, checkpoint } = await ran([stdout(half), exit(1)])
    expect(ended.code, describeEnd(ended)).toBe(7)
    expect(checkpoint).toMatchObject({ state: "failed", reason: { exit_code: 1 }, resumable: true })
  })

  test("(b) half a line, then killed", async () => {
    const { ended, checkpoint } = await ran([stdout(half), { signal: "SIGKILL" }])
    expect(ended.code, describeEnd(ended)).toBe(8)
    expect(checkpoint).toMatchObject({
      state: "interrupted",
      reason: { code: "provider_killed", signal: "SIGKILL" },
      resumable: true
    })
    expect(checkpoint.reason?.message).toContain("SIGKILL")
  })

  test("(c) half a line, a line end, and then a complete success", async () => {
    const { ended, checkpoint } = await ran([stdout(`${half}\n`), provider.success, exit(0)])
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(checkpoint).toMatchObject({ state: "completed", stream: { skipped: 1 } })
  })

  test("(d) two objects on one line, then a success", async () => {
    const { ended, checkpoint } = await ran([stdout('{"type":"a"}{"type":"b"}\n'), provider.success, exit(0)])
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(checkpoint).toMatchObject({ state: "completed", stream: { skipped: 1 } })
  })
})
