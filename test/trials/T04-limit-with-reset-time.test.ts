/** T04: a usage limit, when it resets, and that nothing starts by itself. */
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, StreamLine } from "../support/documents.js"
import * as claude from "../support/stub/claudeStream.js"
import * as codex from "../support/stub/codexStream.js"
import { exit, type Steps } from "../support/stub/script.js"
import { openWorld, type World } from "../support/world.js"
import { decisionOf, endedCheckpoint, resume } from "./runs.js"

const limited = async (world: World, provider: string, steps: Steps): Promise<CheckpointDocument> => {
  world.stub(provider, { fresh: steps })
  const ended = await world.run(["run", "--json", "--provider", provider, "-p", "task"])
  expect(ended.code, describeEnd(ended)).toBe(8)
  const checkpoint = await endedCheckpoint(world, ended)
  expect(checkpoint).toMatchObject({ state: "interrupted", reason: { code: "usage_limit" }, resumable: true })
  return checkpoint
}

const claudeSays = (text: string): Steps => [
  claude.init(),
  claude.text("Working on it."),
  claude.apiError(429, text),
  exit(1)
]

/** What the clock on the wall of a zone shows at a time. */
const wallClock = (at: number, zone: string): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", hour12: false }).format(at)

const nextWithin24Hours = (checkpoint: CheckpointDocument): number => {
  const at = Date.parse(checkpoint.reason?.resets_at ?? "")
  expect(at).toBeGreaterThan(Date.now() - 60_000)
  expect(at).toBeLessThanOrEqual(Date.now() + 24 * 3_600_000)
  return at
}

describe("the reset time", () => {
  test.each([
    { words: "resets 3pm (America/New_York)", zone: "America/New_York", shows: "15:00" },
    { words: "resets 11:30pm (Asia/Calcutta)", zone: "Asia/Kolkata", shows: "23:30" }
  ])("(a, b, f) from words: $words is the next time that clock shows $shows", async ({ words, zone, shows }) => {
    const world = openWorld({ env: { TZ: "Europe/Berlin" } })
    const checkpoint = await limited(world, "claude", claudeSays(`You've hit your limit · ${words}`))
    expect(wallClock(nextWithin24Hours(checkpoint), zone)).toBe(shows)
    expect(checkpoint.reason?.resets_at_source).toBe("text")
  })

  test("(c) from a date in words, in the zone of this machine", async () => {
    const zone = "Europe/Berlin"
    const world = openWorld({ env: { TZ: zone } })
    const at = Math.floor(Date.now() / 60_000) * 60_000 + 13 * 24 * 3_600_000
    const part = (options: Intl.DateTimeFormatOptions): string =>
      new Intl.DateTimeFormat("en-US", { timeZone: zone, ...options }).format(at).replace("\u202f", " ")
    const day = Number(part({ day: "numeric" }))
    const suffix =
      day % 10 === 1 && day !== 11
        ? "st"
        : day % 10 === 2 && day !== 12
          ? "nd"
          : day % 10 === 3 && day !== 13
            ? "rd"
            : "th"
    const date = `${part({ month: "short" })} ${day}${suffix}, ${part({ year: "numeric" })} ${part({ hour: "numeric", minute: "2-digit" })}`
    const text = `You’ve hit your usage limit. Upgrade to Pro or try again at ${date}.`
    const checkpoint = await limited(world, "codex", [
      codex.threadStarted,
      codex.turnStarted,
      ...codex.failed(text),
      exit(1)
    ])
    expect(checkpoint.reason, text).toMatchObject({ resets_at: new Date(at).toISOString(), resets_at_source: "text" })
  })

  test("(d) from data, exactly, and before any words", async () => {
    const world = openWorld({ env: { TZ: "Europe/Berlin" } })
    const epoch = Math.floor(Date.now() / 1000) + 7321
    const [init, , ...rest] = claudeSays("You've hit your limit · resets 3pm (America/New_York)")
    if (init === undefined) throw new Error("no init")
    const checkpoint = await limited(world, "claude", [init, claude.rateLimit(epoch), ...rest])
    expect(checkpoint.reason).toMatchObject({
      resets_at: new Date(epoch * 1000).toISOString(),
      resets_at_source: "structured"
    })
  })

  test("(e) unknown where the words make no sense, and the words are kept", async () => {
    const world = openWorld({ env: { TZ: "Europe/Berlin" } })
    const checkpoint = await limited(world, "claude", claudeSays("You've hit your limit · resets 25:99 (Nowhere/Land)"))
    expect(checkpoint.reason?.resets_at).toBeNull()
    expect(checkpoint.reason?.provider_text).toContain("resets 25:99 (Nowhere/Land)")
  })
})

test("a resume before the time says how long and starts nothing unless it is forced", async () => {
  const world = openWorld()
  const epoch = Math.floor(Date.now() / 1000) + 7200
  const checkpoint = await limited(world, "claude", [
    claude.init(),
    claude.text("Hm."),
    claude.rateLimit(epoch),
    claude.apiError(429, "You've hit your limit"),
    exit(1)
  ])
  const refused = await resume(world, checkpoint.id)
  expect(refused.code, describeEnd(refused)).toBe(5)
  const decision = decisionOf(refused)
  expect(decision).toMatchObject({ status: "refusing_to_resume", reason: "usage_limit_not_reset", requires: ["limit"] })
  expect(decision.facts.resets_at).toBe(new Date(epoch * 1000).toISOString())
  expect(`${decision.message} ${decision.detail}`).toMatch(/\b(1|2) ?h|\b1(19|20) ?min|hour/)
  expect(world.stubStarts()).toHaveLength(1)

  world.stub("claude", { fresh: claude.finished })
  const forced = await resume(world, checkpoint.id, ["--ignore-limit"])
  expect(forced.code, describeEnd(forced)).toBe(0)
  expect(decisionOf(forced)).toMatchObject({ status: "resuming_same_session", reason: "limit_ignored" })
  expect(world.stubStarts()).toHaveLength(2)
})

test("10 s past the time, without an opt-in, nothing was started by itself; a resume then simply goes on", async () => {
  const world = openWorld()
  const epoch = Math.ceil(Date.now() / 1000) + 2
  const checkpoint = await limited(world, "claude", [
    claude.init(),
    claude.text("Hm."),
    claude.rateLimit(epoch),
    claude.apiError(429, "You've hit your limit"),
    exit(1)
  ])
  await delay(epoch * 1000 + 10_000 - Date.now())
  expect(world.stubStarts()).toHaveLength(1)
  expect(world.marked()).toEqual([])
  world.stub("claude", { fresh: claude.finished })
  const ended = await resume(world, checkpoint.id)
  expect(ended.code, describeEnd(ended)).toBe(0)
})

test("with --continue-at-reset the run waits, says so, and goes on in the same conversation", async () => {
  const world = openWorld()
  const epoch = Math.ceil(Date.now() / 1000) + 3
  world.stub("claude", {
    fresh: [
      claude.init(),
      claude.text("Hm."),
      claude.rateLimit(epoch),
      claude.apiError(429, "You've hit your limit"),
      exit(1)
    ],
    resume: claude.finished
  })
  const ended = await world.run(["run", "--json", "--provider", "claude", "--continue-at-reset", "-p", "task"])
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(ended.lines().map((line) => line.kind)).toContain("waiting_for_reset")
  const [first, second] = world.stubStarts()
  expect(world.stubStarts()).toHaveLength(2)
  expect(second).toMatchObject({ resumed: true, session: first?.session })
  expect(second?.at).toBeGreaterThanOrEqual(epoch * 1000)
})

/** A run that hits a limit which resets at a time, and then does so again at every start. */
const alwaysLimited = (world: World, epoch: number) => {
  const answer = [
    claude.init(),
    claude.text("Hm."),
    claude.rateLimit(epoch),
    claude.apiError(429, "You've hit your limit"),
    exit(1)
  ]
  world.stub("claude", { fresh: answer, resume: answer })
}

test("the wait for a reset ends when it is cancelled from elsewhere; the run stays as it ended", async () => {
  const world = openWorld()
  alwaysLimited(world, Math.floor(Date.now() / 1000) + 7200)
  const waiting = world.start(["run", "--json", "--provider", "claude", "--continue-at-reset", "-p", "task"])
  const told = await waiting.event<StreamLine>("waiting_for_reset")
  const cancelled = await world.run(["cancel", told.checkpoint_id ?? "", "--json"])
  expect(cancelled.code, describeEnd(cancelled)).toBe(0)
  const ended = await waiting.ended()
  expect(ended.code, describeEnd(ended)).toBe(8)
  expect(world.stubStarts()).toHaveLength(1)
  expect(await world.show(told.checkpoint_id ?? "")).toMatchObject({
    state: "interrupted",
    reason: { code: "usage_limit" }
  })
})

test("a limit that is hit again at once is not waited for again", async () => {
  const world = openWorld()
  alwaysLimited(world, Math.ceil(Date.now() / 1000) + 2)
  const ended = await world.run(["run", "--json", "--provider", "claude", "--continue-at-reset", "-p", "task"])
  expect(ended.code, describeEnd(ended)).toBe(8)
  expect(world.stubStarts()).toHaveLength(2)
})
