import { describe, expect, it } from "vitest"
import { noon } from "../testing/samples.js"
import { type EndingFacts, endingOf } from "./ending.js"

const nothing: EndingFacts = {
  succeeded: false,
  cancel: null,
  stopped: null,
  failure: null,
  exit: { code: 0, signal: null },
  stderr: "",
  limits: { timeoutMs: 60_000, idleMs: 1_800_000 },
  resetFromText: null
}
const failure = (code: NonNullable<EndingFacts["failure"]>["code"], text = "") => ({
  code,
  text,
  resetsAt: null,
  status: null,
  lostSession: null
})
const cancel = { at: noon, by: "ada", code: "cancelled_by_user" } as const

/** In the order of the rules: each row would also satisfy every later one that it can. */
const table: ReadonlyArray<readonly [string, Partial<EndingFacts>, string, string | null]> = [
  [
    "a success in another conversation than the one asked for is none",
    {
      succeeded: true,
      cancel,
      stopped: { cause: "mismatch", detail: "asked for a, got b" },
      failure: failure("provider_error")
    },
    "failed",
    "session_mismatch"
  ],
  [
    "a success event wins over everything else",
    {
      succeeded: true,
      cancel,
      stopped: { cause: "shutdown", detail: null },
      failure: failure("provider_error"),
      exit: { code: 1, signal: null }
    },
    "completed",
    null
  ],
  [
    "a stored cancel wins over our own cause",
    { cancel, stopped: { cause: "shutdown", detail: null }, failure: failure("provider_error") },
    "cancelled",
    "cancelled_by_user"
  ],
  [
    "a stop of a loop is told apart",
    { cancel: { ...cancel, code: "cancelled_by_stop" } },
    "cancelled",
    "cancelled_by_stop"
  ],
  [
    "Ctrl-C wins over what the provider says about it",
    { stopped: { cause: "interrupt", detail: null }, failure: failure("provider_error") },
    "cancelled",
    "cancelled_by_user"
  ],
  [
    "SIGTERM",
    { stopped: { cause: "shutdown", detail: null }, exit: { code: 143, signal: null } },
    "interrupted",
    "shutdown"
  ],
  ["SIGHUP", { stopped: { cause: "terminal_closed", detail: null } }, "interrupted", "terminal_closed"],
  ["the time limit", { stopped: { cause: "timed_out", detail: null } }, "interrupted", "timed_out"],
  ["silence", { stopped: { cause: "stalled", detail: null } }, "interrupted", "stalled"],
  [
    "another conversation was opened",
    { stopped: { cause: "mismatch", detail: "a, not b" } },
    "failed",
    "session_mismatch"
  ],
  [
    "the provider's terminal error",
    { failure: failure("usage_limit", "You've hit your limit"), exit: { code: 1, signal: null } },
    "interrupted",
    "usage_limit"
  ],
  ["the same with exit code 0", { failure: failure("auth_required", "Not logged in") }, "failed", "auth_required"],
  ["a signal that was not ours", { exit: { code: null, signal: "SIGKILL" } }, "interrupted", "provider_killed"],
  ["a non-zero exit", { exit: { code: 3, signal: null }, stderr: "boom\n" }, "failed", "provider_error"],
  ["exit 0 and nothing said", {}, "failed", "ended_without_result"],
  ["no exit known at all", { exit: null }, "failed", "ended_without_result"]
]

describe("endingOf", () => {
  it.each(table)("%s", (_, facts, state, code) => {
    const ending = endingOf({ ...nothing, ...facts })
    expect({ state: ending.state, code: ending.reason?.code ?? null }).toEqual({ state, code })
  })

  it("an exit code alone never completes a run", () => {
    for (let code = 0; code < 256; code++) {
      expect(endingOf({ ...nothing, exit: { code, signal: null } }).state).toBe("failed")
    }
  })

  it("says what stderr said where the provider said nothing else", () => {
    const { reason } = endingOf({ ...nothing, stderr: "warming up\nNotFoundError: Session not found\n" })
    expect(reason?.message).toBe("the provider ended without a result: NotFoundError: Session not found")
    expect(reason?.detail).toContain("warming up")
  })

  it("prefers a reset time from data to one read from words, and says which it was", () => {
    const structured = endingOf({
      ...nothing,
      failure: { ...failure("usage_limit", "resets 3pm"), resetsAt: noon },
      resetFromText: noon + 5
    })
    expect(structured.reason).toMatchObject({
      resetsAt: noon,
      resetsAtSource: "structured",
      providerText: "resets 3pm"
    })
    const text = endingOf({ ...nothing, failure: failure("usage_limit", "resets 3pm"), resetFromText: noon + 5 })
    expect(text.reason).toMatchObject({ resetsAt: noon + 5, resetsAtSource: "text" })
    const unknown = endingOf({ ...nothing, failure: failure("usage_limit", "resets 25:99") })
    expect(unknown.reason).toMatchObject({ resetsAt: null, resetsAtSource: null, providerText: "resets 25:99" })
  })

  it("keeps the message on one line of at most 280 characters, start and end, and marks the cut", () => {
    const { reason } = endingOf({ ...nothing, failure: failure("provider_error", `start\n${"x".repeat(900)}\nend`) })
    expect(reason?.message.length).toBeLessThanOrEqual(280)
    expect(reason?.message).toMatch(/^start .*… ?.*end$/)
    expect(reason?.truncated).toBe(true)
  })

  it("records exit code and signal whatever the reason", () => {
    expect(
      endingOf({ ...nothing, exit: { code: null, signal: "SIGTERM" }, stopped: { cause: "shutdown", detail: null } })
        .reason
    ).toMatchObject({
      signal: "SIGTERM",
      exitCode: null
    })
  })
})
