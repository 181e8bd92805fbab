/** Twenty resumes of one checkpoint at once, again and again, each time with the winner still running. */
import { expect, test } from "vitest"
import { signal } from "../support/processes.js"
import { forever } from "../support/stub/script.js"
import { openWorld } from "../support/world.js"
import { resumeTogether } from "../trials/contention.js"
import { interrupted } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"
import { size } from "./size.js"

const rounds = size({ short: 3, full: 50 })

test(`one start in each of ${rounds} rounds of 20`, async () => {
  const world = openWorld()
  let source = (await interrupted(world, provider)).id
  world.stub(provider.name, { fresh: [...provider.opening, provider.message("I am the only one."), forever] })
  for (let round = 1; round <= rounds; round += 1) {
    const before = world.stubStarts().length
    const { winner, winnerId } = await resumeTogether(world, source, 20, ["--more-attempts"])
    expect(world.stubStarts()).toHaveLength(before + 1)
    await winner.line((line) => line.kind === "message")
    winner.kill("SIGKILL")
    await winner.ended()
    signal(world.stubStarts().at(-1)?.pid ?? 0, "SIGKILL")
    await world.noneMarked(winnerId)
    expect(await world.show(winnerId)).toMatchObject({
      state: "interrupted",
      reason: { code: "owner_lost" },
      attempt: round + 1
    })
    source = winnerId
  }
}, 900_000)
