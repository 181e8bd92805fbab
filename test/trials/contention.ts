/** Many resumes of one checkpoint at the same moment. */
import { expect } from "vitest"
import { describeEnd, type Running } from "../support/command.js"
import type { DecisionDocument, RunSummary, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import type { World } from "../support/world.js"

export interface Contest {
  /** The one that runs, still running. */
  readonly winner: Running
  readonly winnerId: string
  /** How long each loser took, ms. */
  readonly losers: ReadonlyArray<number>
}

/**
 * Starts `count` resumes together. The stub must not end by itself. Expects that one of them runs, and that every other
 * refuses with `already_running`, exit code 6 and the process number of the winner.
 */
export const resumeTogether = async (
  world: World,
  source: string,
  count: number,
  flags: ReadonlyArray<string> = []
): Promise<Contest> => {
  const before = world.stubStarts().length
  const contestants = Array.from({ length: count }, () =>
    world.start(["resume", source, "--json", "-p", "go on", ...flags])
  )
  const running = new Set(contestants)
  const ends = contestants.map((one) =>
    one.ended(60_000).then((ended) => {
      running.delete(one)
      return ended
    })
  )
  // The winner's end, when a test kills it, is that test's business.
  for (const end of ends) end.catch(() => undefined)
  await eventually(() => running.size <= 1, { withinMs: 60_000, what: "the end of all but one resume" })
  const [winner] = running
  if (winner === undefined) {
    throw new Error(`none of the resumes is running\n${(await Promise.all(ends)).map(describeEnd).join("\n---\n")}`)
  }
  const created = await winner.event<StreamLine>("created")
  await world.stubStart(before + 1)

  const losers: Array<number> = []
  for (const [index, one] of contestants.entries()) {
    if (one === winner) continue
    const ended = await ends[index]
    if (ended === undefined) throw new Error("no end")
    expect(ended.code, describeEnd(ended)).toBe(6)
    const decision = ended.last<StreamLine>("resume_decision").payload as unknown as DecisionDocument
    expect(decision, describeEnd(ended)).toMatchObject({ status: "refusing_to_resume", reason: "already_running" })
    expect(decision.facts.owner?.pid, describeEnd(ended)).toBe(winner.pid)
    expect(ended.last<RunSummary & StreamLine>("run_summary")).toMatchObject({ state: null, exit_code: 6 })
    losers.push(ended.elapsedMs)
  }
  expect(world.stubStarts()).toHaveLength(before + 1)
  return { winner, winnerId: created.checkpoint_id ?? "", losers }
}
