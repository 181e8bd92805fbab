import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { currentPhase } from "../checkpoint/Checkpoint.js"
import { exitCodeOfDecision, exitCodeOfDecisionReason } from "../contract/exitCodes.js"
import {
  endedCheckpoint,
  idOf,
  noon,
  sampleCapabilities,
  sampleCheckpoint,
  sampleFacts,
  samplePhase,
  sampleProbe,
  sampleProgress,
  sampleReason
} from "../testing/samples.js"
import { type Consent, consentFlag, DecisionReason } from "./Decision.js"
import { decide } from "./decide.js"
import { defaultPolicy, type Facts, plainRequest, type ResumeRequest, type RunningAttempt } from "./Facts.js"

const asks = (change: Partial<ResumeRequest>): ResumeRequest => ({ ...plainRequest, ...change })
const consenting = (...consents: ReadonlyArray<Consent>): ResumeRequest => asks({ consents: new Set(consents) })
const withSession = (session: Partial<NonNullable<typeof sampleProbe.session>>) => ({
  ...sampleProbe,
  session: {
    presence: "present" as const,
    path: "/x.jsonl",
    detail: null,
    lastRowAt: null,
    tailDamaged: false,
    ...session
  }
})
const withoutSession = endedCheckpoint("owner_lost", {
  progress: { ...sampleProgress, phases: [{ ...samplePhase, providerSession: null }] }
})
const task = {
  classification: "valid",
  explicitOther: false,
  declined: false,
  confirmed: true,
  tasksCompleted: 1,
  target: "ok"
} as const
const attempt: RunningAttempt = {
  id: idOf("bbbb"),
  pid: 77,
  host: "host",
  since: noon,
  liveness: "alive",
  why: null
}
const onSol = endedCheckpoint("owner_lost", {
  progress: { ...sampleProgress, phases: [{ ...samplePhase, model: { requested: "gpt-6-sol", actual: null } }] }
})
const limited = endedCheckpoint("usage_limit", {
  reason: { ...sampleReason("usage_limit"), resetsAt: noon + 7_200_000 }
})
const tooOld = noon + 60_000 + defaultPolicy.maxAgeMs

/** At least one case a reason; the status is what makes the reason's exit code count. */
const cases: ReadonlyArray<readonly [DecisionReason, string, Partial<Facts>, "same" | "fresh" | "refuse"]> = [
  ["store_newer", "the store is newer than this program", { trouble: "store_newer", checkpoint: null }, "refuse"],
  ["record_corrupt", "the record cannot be read", { trouble: "record_corrupt", checkpoint: null }, "refuse"],
  [
    "session_declined",
    "a saved session that cannot be read is left alone like any other",
    { trouble: "record_corrupt", checkpoint: null, task: { ...task, declined: true, taskId: "T-0001" } },
    "fresh"
  ],
  [
    "explicit_task_selection_overrides_session",
    "another task is named than that whose session cannot be read",
    { trouble: "record_corrupt", checkpoint: null, task: { ...task, explicitOther: true, taskId: "T-0001" } },
    "fresh"
  ],
  ["checkpoint_not_found", "there is no such id", { trouble: "checkpoint_not_found", checkpoint: null }, "refuse"],
  ["unsupported_provider", "the provider is not known here", { capabilities: null }, "refuse"],
  [
    "unsupported_provider",
    "another provider was named that is not known",
    { otherProviderKnown: false, request: asks({ provider: "nope" }) },
    "refuse"
  ],
  [
    "checkpoint_completed",
    "a completed run is a record",
    { checkpoint: sampleCheckpoint({ state: "completed" }) },
    "refuse"
  ],
  ["already_running", "an attempt of the lineage is live", { runningAttempt: attempt }, "refuse"],
  ["checkpoint_superseded", "a later attempt is the tip", { tip: idOf("cccc") }, "refuse"],
  [
    "owner_unknown",
    "nothing can be proven about the owner",
    { runningAttempt: { ...attempt, liveness: "unknown", why: "another host" } },
    "refuse"
  ],
  [
    "provider_process_alive",
    "the dead owner left a process",
    { probe: { ...sampleProbe, survivor: { pid: 9, command: "claude" } } },
    "refuse"
  ],
  ["session_busy", "another run is in the conversation", { sessionHolder: attempt }, "refuse"],
  ["attempts_exhausted", "ten attempts reached the conversation", { attempts: 10 }, "refuse"],
  [
    "workspace_missing",
    "the folder is gone",
    {
      probe: {
        ...sampleProbe,
        workspace: { _tag: "Unusable", code: "workspace_missing", path: "/w/a", detail: "gone" }
      }
    },
    "refuse"
  ],
  [
    "workspace_not_a_directory",
    "a file stands there",
    {
      probe: {
        ...sampleProbe,
        workspace: { _tag: "Unusable", code: "workspace_not_a_directory", path: "/w/a", detail: "file" }
      }
    },
    "refuse"
  ],
  [
    "workspace_not_accessible",
    "the folder may not be entered",
    {
      probe: {
        ...sampleProbe,
        workspace: { _tag: "Unusable", code: "workspace_not_accessible", path: "/w/a", detail: "no" }
      }
    },
    "refuse"
  ],
  [
    "workspace_changed",
    "the path leads elsewhere",
    { probe: { ...sampleProbe, workspace: { _tag: "Usable", realPath: "/w/z" } } },
    "refuse"
  ],
  ["provider_not_found", "the program is gone", { probe: { ...sampleProbe, providerFound: false } }, "refuse"],
  ["provider_auth_required", "not signed in", { probe: { ...sampleProbe, auth: "absent" } }, "refuse"],
  ["usage_limit_not_reset", "the limit still holds", { checkpoint: limited }, "refuse"],
  [
    "provider_session_damaged",
    "a line of the conversation is broken",
    { probe: withSession({ presence: "damaged", detail: "line 4" }) },
    "refuse"
  ],
  ["model_unavailable", "the model was retired", { checkpoint: endedCheckpoint("model_unavailable") }, "refuse"],
  [
    "model_change_requires_confirmation",
    "the change compacts the history",
    {
      checkpoint: onSol,
      capabilities: { ...sampleCapabilities, modelChangeCompacts: true },
      request: asks({ model: "gpt-5.5" })
    },
    "refuse"
  ],
  [
    "resume_confirmation_required",
    "a task loop was not told to resume",
    { task: { ...task, confirmed: false } },
    "refuse"
  ],
  [
    "cancelled_requires_confirmation",
    "somebody cancelled it",
    { checkpoint: endedCheckpoint("cancelled_by_user") },
    "refuse"
  ],
  ["session_timed_out_requires_confirmation", "exactly at the limit", { now: tooOld }, "refuse"],
  [
    "fresh_start_requires_confirmation",
    "the conversation is gone",
    { probe: withSession({ presence: "absent" }) },
    "refuse"
  ],
  [
    "fresh_start_requires_confirmation",
    "the conversation is there, and holds nothing of what the record shows",
    { probe: withSession({ promptMissing: true }) },
    "refuse"
  ],
  ["no_session", "nothing is saved in the folder", { task: { ...task, classification: "no_session" } }, "fresh"],
  ["session_stale", "the task is not being done any more", { task: { ...task, classification: "stale" } }, "fresh"],
  ["session_declined", "a fresh start although the old could go on", { request: asks({ fresh: true }) }, "fresh"],
  ["session_declined", "--no-resume", { task: { ...task, declined: true } }, "fresh"],
  [
    "explicit_task_selection_overrides_session",
    "another task was named",
    { task: { ...task, explicitOther: true } },
    "fresh"
  ],
  ["resume_target_missing", "the task was removed", { task: { ...task, target: "missing" } }, "fresh"],
  ["resume_target_terminal", "the task is done", { task: { ...task, target: "terminal" } }, "fresh"],
  [
    "continuation_unsupported",
    "the provider cannot continue",
    { capabilities: { ...sampleCapabilities, continuation: "none" }, request: asks({ fresh: true }) },
    "fresh"
  ],
  [
    "continuation_unsupported",
    "the provider continues only in the folder that the conversation began in",
    {
      capabilities: { ...sampleCapabilities, cwdBound: true },
      probe: { ...sampleProbe, workspace: { _tag: "Usable", realPath: "/elsewhere" } },
      request: asks({ fresh: true, cd: "/elsewhere" })
    },
    "fresh"
  ],
  [
    "provider_session_missing",
    "the conversation is gone",
    { probe: withSession({ presence: "absent" }), request: consenting("fresh") },
    "fresh"
  ],
  [
    "provider_session_invalid",
    "the id is malformed",
    { sessionIdWellFormed: false, request: asks({ fresh: true }) },
    "fresh"
  ],
  [
    "provider_session_invalid",
    "in a live session it starts fresh by itself",
    { sessionIdWellFormed: false, request: asks({ scope: "continue_session" }) },
    "fresh"
  ],
  [
    "missing_provider_session_id",
    "killed before the id was named",
    { checkpoint: withoutSession, request: asks({ fresh: true }) },
    "fresh"
  ],
  [
    "provider_changed",
    "another provider takes over",
    { otherProviderKnown: true, request: asks({ provider: "codex", fresh: true }) },
    "fresh"
  ],
  ["session_valid", "an interrupted run simply goes on", {}, "same"],
  ["session_timed_out_confirmed", "old, and confirmed", { now: tooOld, request: consenting("stale") }, "same"],
  [
    "cancelled_confirmed",
    "cancelled, and confirmed",
    { checkpoint: endedCheckpoint("cancelled_by_user"), request: consenting("cancelled") },
    "same"
  ],
  ["limit_ignored", "the limit holds, and is ignored", { checkpoint: limited, request: consenting("limit") }, "same"],
  [
    "transcript_replayed",
    "we hold the conversation ourselves",
    { capabilities: { ...sampleCapabilities, continuation: "host_transcript" } },
    "same"
  ]
]

const statusOf = {
  same: "resuming_same_session",
  fresh: "falling_back_to_fresh_invocation",
  refuse: "refusing_to_resume"
} as const

describe("decide", () => {
  it.each(cases)("%s: %s", (reason, _, facts, status) => {
    const decision = decide(sampleFacts(facts))
    expect({ reason: decision.reason, status: decision.status }).toEqual({ reason, status: statusOf[status] })
  })

  it("has a case for every reason", () => {
    expect(new Set(cases.map(([reason]) => reason))).toEqual(new Set(DecisionReason.literals))
  })

  it("names the action and the checkpoint, or the task, in one sentence", () => {
    expect(decide(sampleFacts()).message).toBe(
      "Resume: continuing the interrupted session for checkpoint ckpt_aaaa00000000."
    )
    expect(decide(sampleFacts({ checkpoint: endedCheckpoint("owner_lost", { taskId: "T-0001" }) })).message).toBe(
      "Resume: continuing the interrupted session for task T-0001."
    )
  })

  it("names the task whose saved session cannot be read, and how to begin without it", () => {
    const decision = decide(
      sampleFacts({ trouble: "record_corrupt", checkpoint: null, task: { ...task, taskId: "T-0001" } })
    )
    expect(decision).toMatchObject({ reason: "record_corrupt", taskId: "T-0001", requires: [] })
    expect(decision.message).toBe("Resume: refusing to resume for task T-0001.")
    expect(decision.alternatives.map(({ argv }) => argv)).toContainEqual(expect.arrayContaining(["--no-resume"]))
  })

  it("tells the age, the limit and the place with their numbers", () => {
    expect(decide(sampleFacts({ task, now: noon + 3_660_000 })).detail).toBe(
      "Saved session is 1 h old (limit 24 h) and will resume from phase 1 with 1 completed loop task(s)."
    )
  })

  it("a new task in the session of a completed or old run needs no consent", () => {
    const request = asks({ scope: "continue_session" })
    const completed = sampleCheckpoint({ state: "completed" })
    expect(decide(sampleFacts({ checkpoint: completed, now: tooOld, request }))).toMatchObject({
      reason: "session_valid",
      scope: "continue_session"
    })
  })

  it("asks for both consents of an old cancelled run at once", () => {
    const old = { checkpoint: endedCheckpoint("cancelled_by_user"), now: tooOld }
    expect(decide(sampleFacts(old)).requires).toEqual(["cancelled", "stale"])
    expect(decide(sampleFacts({ ...old, request: consenting("cancelled") })).reason).toBe(
      "session_timed_out_requires_confirmation"
    )
    expect(decide(sampleFacts({ ...old, request: consenting("cancelled", "stale") })).reason).toBe(
      "session_timed_out_confirmed"
    )
  })

  it("takes a clock ahead of ours for no age, and warns", () => {
    const decision = decide(sampleFacts({ now: noon - 86_400_000 }))
    expect(decision.reason).toBe("session_valid")
    expect(decision.facts.ageMs).toBe(0)
    expect(decision.warnings.join()).toContain("ahead of this machine's clock")
  })

  it("claims no more continuity than there is evidence for", () => {
    expect(decide(sampleFacts()).continuity).toBe("session_file_checked")
    expect(
      decide(sampleFacts({ probe: withSession({ presence: "unknown", detail: "no permission" }) })).continuity
    ).toBe("unproven")
    expect(decide(sampleFacts({ probe: null })).continuity).toBe("unproven")
  })

  it("damage that was told of at an earlier resume does not stop the next one; more damage does", () => {
    const told = endedCheckpoint("owner_lost")
    const checkpoint = { ...told, spec: { ...told.spec, knownDamage: 1 } }
    const broken = (brokenLines: number) => withSession({ presence: "damaged", detail: "line 4", brokenLines })
    const decision = decide(sampleFacts({ checkpoint, probe: broken(1) }))
    expect(decision).toMatchObject({ status: "resuming_same_session", continuity: "unproven" })
    expect(decision.warnings.join()).toContain("line 4")
    expect(decide(sampleFacts({ checkpoint, probe: broken(2) })).reason).toBe("provider_session_damaged")
  })

  it("a failed look is not absence", () => {
    expect(decide(sampleFacts({ probe: withSession({ presence: "unknown" }) })).status).toBe("resuming_same_session")
  })

  it("says what cannot be passed again", () => {
    const decision = decide(sampleFacts({ capabilities: { ...sampleCapabilities, thinkingOnResume: "not_supported" } }))
    expect(decision.keeps).not.toContain("thinking")
    expect(decision.loses.join()).toContain("thinking high")
  })

  it("warns of a tool whose outcome is unknown", () => {
    const position = { ...sampleProgress.position, openTool: { id: "t", name: "Edit", since: noon } }
    const decision = decide(
      sampleFacts({ checkpoint: endedCheckpoint("owner_lost", { progress: { ...sampleProgress, position } }) })
    )
    expect(decision.warnings.join()).toContain("the tool Edit")
  })

  it("caps the stored permission, and says so", () => {
    const facts = sampleFacts({ policy: { ...defaultPolicy, maxPermission: "read" } })
    const decision = decide(facts)
    expect(decision.facts.permission).toBe("read")
    expect(decision.warnings.join()).toContain("permission.max")
  })

  it("the provider's answer that the conversation is gone counts, whatever was found before", () => {
    expect(decide(sampleFacts({ sessionLost: true }))).toMatchObject({
      reason: "fresh_start_requires_confirmation",
      cause: "provider_session_missing",
      requires: ["fresh"]
    })
  })

  it("within one family a change of the model needs no consent", () => {
    const codex = endedCheckpoint("owner_lost", {
      progress: { ...sampleProgress, phases: [{ ...samplePhase, model: { requested: "gpt-6-sol", actual: null } }] }
    })
    const capabilities = { ...sampleCapabilities, modelChangeCompacts: true }
    const asked = (model: string) =>
      decide(sampleFacts({ checkpoint: codex, capabilities, request: asks({ model }) })).reason
    expect(asked("gpt-6-luna")).toBe("session_valid")
    expect(asked("gpt-6-sol")).toBe("session_valid")
    expect(asked("gpt-5.5")).toBe("model_change_requires_confirmation")
    expect(asked("house-model")).toBe("session_valid")
  })
})

// ---------------------------------------------------------------- properties

const pick = <A>(...values: ReadonlyArray<A>) => fc.constantFrom(...values)
const facts: fc.Arbitrary<Facts> = fc
  .record({
    checkpoint: pick(
      null,
      endedCheckpoint("owner_lost"),
      endedCheckpoint("model_unavailable"),
      endedCheckpoint("provider_session_missing"),
      endedCheckpoint("cancelled_by_user"),
      limited,
      withoutSession,
      sampleCheckpoint({ state: "completed" })
    ),
    trouble: pick(null, null, null, null, "record_corrupt" as const),
    now: pick(noon - 1, noon + 3_600_000, tooOld - 1, tooOld, tooOld * 2),
    attempts: pick(1, 1, 1, 9, 10),
    tip: pick<"own" | "other">("own", "own", "own", "other"),
    runningAttempt: pick(null, null, null, attempt, { ...attempt, liveness: "unknown" as const }),
    sessionHolder: pick(null, null, null, attempt),
    capabilities: pick(
      sampleCapabilities,
      sampleCapabilities,
      { ...sampleCapabilities, continuation: "none" as const },
      { ...sampleCapabilities, modelChangeCompacts: true },
      null
    ),
    sessionIdWellFormed: pick(true, true, false),
    probe: pick(
      null,
      sampleProbe,
      sampleProbe,
      withSession({ presence: "absent" }),
      withSession({ presence: "damaged" }),
      { ...sampleProbe, auth: "absent" as const },
      { ...sampleProbe, survivor: { pid: 1, command: "x" } },
      { ...sampleProbe, providerFound: false }
    ),
    request: fc.record({
      consents: fc.subarray(Object.keys(consentFlag) as Array<Consent>).map((all) => new Set(all)),
      fresh: fc.boolean(),
      model: pick(null, "gpt-5.5"),
      scope: pick("run_session" as const, "continue_session" as const)
    }),
    task: pick(null, null, task, { ...task, confirmed: false }, { ...task, classification: "stale" as const })
  })
  .map(({ tip, request, ...rest }) =>
    sampleFacts({
      ...rest,
      request: asks(request),
      tip: tip === "own" ? (rest.checkpoint?.id ?? null) : idOf("zzzz")
    })
  )

const consentReasons: ReadonlySet<DecisionReason> = new Set([
  "owner_unknown",
  "provider_process_alive",
  "attempts_exhausted",
  "usage_limit_not_reset",
  "provider_session_damaged",
  "model_change_requires_confirmation",
  "cancelled_requires_confirmation",
  "session_timed_out_requires_confirmation",
  "fresh_start_requires_confirmation"
])

describe("decide, for any facts", () => {
  it("is total and deterministic, and refuses exactly with a non-zero exit code", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const decision = decide(given)
        expect(decide(given)).toEqual(decision)
        expect(decision.message).toMatch(/^Resume: .+\.$/)
        expect(exitCodeOfDecision(decision) !== 0).toBe(decision.status === "refusing_to_resume")
        if (decision.status === "refusing_to_resume") expect(exitCodeOfDecisionReason[decision.reason]).not.toBe(0)
        else expect(exitCodeOfDecisionReason[decision.reason]).toBe(0)
      }),
      { numRuns: 2000 }
    )
  })

  it("never resumes what completed", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const request = { ...given.request, scope: "run_session" as const }
        const decision = decide({ ...given, request, checkpoint: sampleCheckpoint({ state: "completed" }) })
        expect(decision.status).toBe("refusing_to_resume")
      })
    )
  })

  it("no consent turns a refusal around that asks for none", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const bare = decide({ ...given, request: { ...given.request, consents: new Set() } })
        fc.pre(bare.status === "refusing_to_resume" && !consentReasons.has(bare.reason))
        const all = new Set(Object.keys(consentFlag) as Array<Consent>)
        expect(decide({ ...given, request: { ...given.request, consents: all } }).reason).toBe(bare.reason)
      }),
      { numRuns: 2000 }
    )
  })

  it("giving what is required leads on, never in a circle", () => {
    fc.assert(
      fc.property(facts, (given) => {
        let consents: ReadonlySet<Consent> = given.request.consents
        for (let round = 0; round < 10; round++) {
          const decision = decide({ ...given, request: { ...given.request, consents } })
          if (decision.requires.length === 0) return
          for (const consent of decision.requires) expect(consents.has(consent)).toBe(false)
          consents = new Set([...consents, ...decision.requires])
        }
        expect.fail("the decision kept asking")
      }),
      { numRuns: 2000 }
    )
  })

  it("goes on in the same conversation only where there is one", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const decision = decide(given)
        if (decision.status !== "resuming_same_session") return
        const checkpoint = given.checkpoint ?? expect.fail("resumed nothing")
        expect(currentPhase(checkpoint.progress).providerSession).not.toBeNull()
        expect(given.probe?.session?.presence).not.toBe("absent")
      })
    )
  })
})
