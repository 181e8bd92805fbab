/** T05: twenty resumes at once have one winner. The repeated form is in reliability/. */
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { signal } from "../support/processes.js"
import { until } from "../support/stub/script.js"
import { openTerminal } from "../support/terminal.js"
import { openWorld } from "../support/world.js"
import { resumeTogether } from "./contention.js"
import { decisionOf, interrupted, resume, summaryOf } from "./runs.js"
import { stubs } from "./stubs.js"

describe.each(stubs)("$name", (provider) => {
  test("one of twenty starts; the others name its owner; the tip goes on when the winner was killed", async () => {
    const world = openWorld()
    const oldest = await interrupted(world, provider)
    world.stub(provider.name, { fresh: provider.working })
    const again = world.start(["resume", oldest.id, "--json", "-p", "go on"])
    await world.stubStart(2)
    await again.line((line) => line.kind === "message")
    again.kill("SIGTERM")
    const source = summaryOf(await again.ended()).checkpoint_id ?? ""
    await world.noneMarked(source)

    const gate = world.path("gate")
    world.stub(provider.name, {
      fresh: [...provider.opening, provider.message("I am the only one."), until(gate), provider.success]
    })
    const { elapsedMs: alone } = await world.run(["runs", "list", "--json"])
    const { winner, winnerId, losers } = await resumeTogether(world, source, 20)
    // Two seconds, on top of what twenty programs that start at once cost this machine.
    expect(Math.max(...losers)).toBeLessThan(2000 + 60 * alone)
    expect(world.stubStarts()).toHaveLength(3)

    // The older checkpoint holds the same provider session.
    expect((await world.show(oldest.id)).provider_session?.id).toBe((await world.show(source)).provider_session?.id)
    const older = await resume(world, oldest.id)
    expect(older.code, describeEnd(older)).toBe(6)
    expect(decisionOf(older)).toMatchObject({ status: "refusing_to_resume", reason: "already_running" })
    expect(decisionOf(older).facts.owner?.pid).toBe(winner.pid)
    expect(world.stubStarts()).toHaveLength(3)

    const monitor = openTerminal(world, [])
    await monitor.shows("ORIGINAL-TASK")
    monitor.write("r")
    await monitor.shows(/running/i)
    // Apart, as a person presses them: Escape and a letter in one piece are Alt and that letter.
    for (const key of ["\r", "\u001b", "\u001b", "q"]) {
      monitor.write(key)
      await delay(500)
    }
    await monitor.ended()
    expect(world.stubStarts()).toHaveLength(3)

    winner.kill("SIGKILL")
    await winner.ended()
    const stub = world.stubStarts().at(-1)
    signal(stub?.pid ?? 0, "SIGKILL")
    await world.noneMarked(winnerId)
    const old = await resume(world, source)
    expect(old.code, describeEnd(old)).toBe(11)
    expect(decisionOf(old)).toMatchObject({ reason: "checkpoint_superseded", facts: { tip: winnerId } })
    world.stub(provider.name, { fresh: provider.finished })
    const next = await resume(world, winnerId)
    expect(next.code, describeEnd(next)).toBe(0)
    expect(world.stubStarts()).toHaveLength(4)
  })
})
