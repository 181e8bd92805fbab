import { describe, expect, it } from "vitest"
import {
  endedCheckpoint,
  idOf,
  noon,
  sampleCheckpoint,
  sampleFacts,
  samplePhase,
  sampleProbe,
  sampleProgress,
  sampleReason
} from "../testing/samples.js"
import { decide } from "./decide.js"
import { explain, type Finding } from "./explain.js"
import { defaultPolicy, type Facts, type RunningAttempt } from "./Facts.js"

const found = (change: Partial<Facts>): ReadonlyArray<Finding> => {
  const facts = sampleFacts(change)
  return explain(facts, decide(facts))
}
const probe = (change: Partial<typeof sampleProbe>): Partial<Facts> => ({ probe: { ...sampleProbe, ...change } })
const session = (change: Partial<NonNullable<typeof sampleProbe.session>>): Partial<Facts> =>
  probe({
    session: { presence: "present", path: "/x.jsonl", detail: null, lastRowAt: null, tailDamaged: false, ...change }
  })
const attempt = (liveness: RunningAttempt["liveness"]): RunningAttempt => ({
  id: idOf("bbbb"),
  pid: 77,
  host: "host",
  since: noon,
  liveness,
  why: liveness === "unknown" ? "another host" : null
})
const limited = (resetsAt: number | null) =>
  endedCheckpoint("usage_limit", { reason: { ...sampleReason("usage_limit"), resetsAt } })

describe("what a resume depends on", () => {
  it("is all well where it can simply go on", () => {
    expect(found({}).filter(({ status }) => status !== "ok")).toEqual([])
  })

  it.each<[string, Partial<Facts>, string, Finding["status"], string]>([
    ["a run that does not exist", { checkpoint: null, trouble: "checkpoint_not_found" }, "record", "problem", "no run"],
    ["an older attempt", { tip: idOf("tttt") }, "state", "warning", idOf("tttt")],
    ["a completed run", { checkpoint: sampleCheckpoint({ state: "completed" }) }, "state", "ok", "a record"],
    ["too many attempts", { attempts: defaultPolicy.maxAttempts }, "attempts", "warning", "10 of at most 10"],
    ["a live attempt", { runningAttempt: attempt("alive"), probe: null }, "owner", "ok", "pid 77 on host"],
    [
      "the world beside a live attempt",
      { runningAttempt: attempt("alive"), probe: null },
      "world",
      "skipped",
      "not looked"
    ],
    ["an owner in doubt", { runningAttempt: attempt("unknown") }, "owner", "problem", "cannot be proven"],
    ["a busy session", { sessionHolder: attempt("alive") }, "session", "problem", "uses its session"],
    ["a survivor", probe({ survivor: { pid: 9, command: "node x" } }), "survivor", "problem", "pid 9 (node x)"],
    [
      "a folder that is gone",
      probe({ workspace: { _tag: "Unusable", code: "workspace_missing", path: "/w/a", detail: "/w/a is gone" } }),
      "folder",
      "problem",
      "/w/a is gone"
    ],
    [
      "a folder that changed",
      probe({ drift: { head: { before: "a1", now: "b2" }, branch: null, dirty: [] } }),
      "folder",
      "warning",
      "has changed since"
    ],
    ["neighbours", probe({ neighbours: [idOf("nnnn")] }), "neighbours", "warning", idOf("nnnn")],
    ["a missing program", probe({ providerFound: false }), "program", "problem", "not installed"],
    ["a provider of another app", probe({ providerFound: null }), "program", "problem", "no such provider"],
    ["no sign-in", probe({ auth: "absent" }), "program", "problem", "not signed in"],
    ["a deleted conversation", session({ presence: "absent" }), "conversation", "problem", "not in the provider's"],
    ["an emptied conversation", session({ promptMissing: true }), "conversation", "problem", "there, and empty"],
    ["a damaged conversation", session({ presence: "damaged" }), "conversation", "problem", "is damaged"],
    ["a conversation with a cut line", session({ tailDamaged: true }), "conversation", "warning", "damaged lines"],
    [
      "a conversation that could not be looked at",
      session({ presence: "unknown" }),
      "conversation",
      "skipped",
      "not known"
    ],
    ["a malformed id", { sessionIdWellFormed: false }, "conversation", "problem", "can be no id"],
    [
      "a conversation without a name",
      {
        checkpoint: endedCheckpoint("owner_lost", {
          progress: { ...sampleProgress, phases: [{ ...samplePhase, providerSession: null }] }
        })
      },
      "conversation",
      "warning",
      "never named"
    ],
    ["a limit ahead", { checkpoint: limited(noon + 7_200_000) }, "limit", "problem", "resets in 1h"],
    ["a limit of unknown length", { checkpoint: limited(null) }, "limit", "warning", "not known"],
    ["a limit behind", { checkpoint: limited(noon) }, "limit", "ok", "has reset"],
    ["an old session", { now: noon + 3 * defaultPolicy.maxAgeMs }, "age", "problem", "the limit is 1d"]
  ])("names %s", (_, change, id, status, words) => {
    const named = found(change).find((each) => each.id === id)
    expect(named).toMatchObject({ status })
    expect(named?.message).toContain(words)
  })

  it("ends with the decision itself", () => {
    expect(found({}).at(-1)).toMatchObject({ id: "resume", status: "ok", message: decide(sampleFacts()).message })
    const lost = session({ presence: "absent" })
    expect(found(lost).at(-1)).toMatchObject({
      id: "resume",
      status: "problem",
      message: decide(sampleFacts(lost)).message
    })
  })
})
