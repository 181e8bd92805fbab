/** What people read. Each case is a screen as a person sees it, and what must never be on one. */
import { Decide, type Event } from "@alluka/core"
import {
  endedCheckpoint,
  idOf,
  noon,
  sampleCheckpoint,
  sampleFacts,
  samplePhase,
  sampleProgress,
  sampleReason
} from "@alluka/core/testing"
import { describe, expect, it } from "vitest"
import { colored, plain } from "../color.js"
import { renderCancelled } from "./cancelled.js"
import { renderDecision } from "./decision.js"
import { renderEvent } from "./event.js"
import { renderList, renderPlain, rowOf } from "./list.js"
import { renderEnd, renderStart } from "./run.js"
import { renderShow } from "./show.js"

const command = (argv: ReadonlyArray<string>): string => ["alluka", ...argv].join(" ")
const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]")
const words = { ascii: false, paint: plain, command, redact, now: noon + 3_600_000 }

const event = (kind: Event.EventKind, message: string, payload: Event.Payload = {}): Event.StoredEvent => ({
  kind,
  message,
  payload,
  seq: 1,
  checkpointId: idOf("aaaa"),
  taskId: null,
  timestamp: noon,
  phase: 0
})

const hostile = "a\u001b[2Jb\u001b]52;c;AAAA\u0007c\u009b31md\u202ee\r\nf"
const acted = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

describe("a decision", () => {
  it("that goes on says what it keeps", () => {
    expect(renderDecision(Decide.decide(sampleFacts()), words)).toBe(
      [
        `Resume: continuing the interrupted session for checkpoint ${idOf("aaaa")}.`,
        "  » SAME SESSION  session_valid",
        "  Saved session is 1 h old (limit 24 h) and will resume from turn 3.",
        "  Keeps: conversation, model, thinking, permission, folder"
      ].join("\n")
    )
  })

  it("that refuses says what can be done, as commands that can be typed", () => {
    const stale = Decide.decide(sampleFacts({ now: noon + 48 * 3_600_000 }))
    const text = renderDecision(stale, words)
    expect(text).toContain("! WILL NOT RESUME  session_timed_out_requires_confirmation")
    expect(text).toContain(`alluka resume ${idOf("aaaa")} --confirm-stale`)
    expect(text).toContain(`alluka resume ${idOf("aaaa")} --fresh`)
  })

  it("can be read without colour and without Unicode", () => {
    const text = renderDecision(Decide.decide(sampleFacts()), { ...words, ascii: true })
    expect(text).toContain(">> SAME SESSION")
    expect(text).toMatch(/^[\x20-\x7e\n]*$/)
  })

  it("is coloured only through the paint it is given", () => {
    expect(renderDecision(Decide.decide(sampleFacts()), { ...words, paint: colored })).toContain(
      "\u001b[32m» SAME SESSION\u001b[0m"
    )
  })
})

describe("events", () => {
  it.each([
    [event("message", "Hi", { role: "assistant", text: "Hi\nthere" }), "Hi\nthere"],
    [event("tool_started", "Edit: src/a.ts", { name: "Edit", summary: "src/a.ts" }), "▸ Edit src/a.ts"],
    [event("tool_finished", "Edit finished", { ok: true, summary: "done" }), null],
    [event("tool_finished", "Edit failed", { ok: false, summary: "no such file" }), "  failed: no such file"],
    [event("denied", "refused", { tool: "Bash", detail: "rm x" }), "  refused by permission: Bash rm x"],
    [event("retrying", "overloaded, again in 5 s"), "… overloaded, again in 5 s"],
    [event("usage", "10 tokens in, 5 out"), null],
    [event("state_changed", "completed"), null]
  ])("%# are told", (given, text) => expect(renderEvent(given, words)).toBe(text))

  it("never let an agent speak to the terminal", () => {
    for (const kind of [
      "message",
      "tool_started",
      "tool_finished",
      "denied",
      "notice",
      "retrying",
      "model_reported"
    ] as const) {
      const text = renderEvent(
        event(kind, hostile, {
          text: hostile,
          name: hostile,
          summary: hostile,
          tool: hostile,
          detail: hostile,
          ok: false,
          role: "assistant"
        }),
        words
      )
      expect(text, kind).not.toMatch(acted)
    }
  })
})

describe("a run", () => {
  it("begins with its id, its provider and its folder, and no secret of the folder's name", () => {
    const checkpoint = sampleCheckpoint()
    const named = {
      ...checkpoint,
      spec: { ...checkpoint.spec, workspace: { ...checkpoint.spec.workspace, cwd: "/w/hunter2" } }
    }
    expect(renderStart(named, words)).toBe(`● ${idOf("aaaa")} · claude · opus[1m] · /w/[redacted]`)
  })

  it.each([
    ["owner_lost", `alluka resume ${idOf("aaaa")}`],
    ["provider_error", `alluka resume ${idOf("aaaa")}`],
    ["cancelled_by_user", "--confirm-cancelled"]
  ] as const)("that ended as %s says how it can go on", (code, hint) =>
    expect(renderEnd(endedCheckpoint(code), words)).toContain(hint)
  )

  it("that completed offers nothing, and says when its program exited badly", () => {
    const done = sampleCheckpoint({
      state: "completed",
      endedAt: noon,
      progress: { ...sampleProgress, providerExit: { code: 1, signal: null } }
    })
    const text = renderEnd(done, words)
    expect(text).not.toContain("resume")
    expect(text).toContain("exit code 1")
  })

  it("is shown whole, with both models where they differ", () => {
    const phases = [{ ...samplePhase, model: { requested: "M-1[1m]", actual: "M-2" } }]
    const checkpoint = endedCheckpoint("usage_limit", {
      title: hostile,
      progress: { ...sampleProgress, phases },
      reason: { ...sampleReason("usage_limit"), message: hostile, detail: hostile, resetsAt: noon + 7_200_000 }
    })
    const shown = {
      checkpoint,
      decision: Decide.decide(sampleFacts({ checkpoint })),
      lineage: [checkpoint],
      events: [event("message", hostile)],
      allEvents: false
    }
    const text = renderShow(shown, words)
    expect(text).toContain("requested M-1[1m], actual M-2")
    expect(text).toContain("usage_limit")
    expect(text).not.toMatch(acted)
  })
})

describe("a list", () => {
  const rows = [rowOf(endedCheckpoint("owner_lost")), rowOf(sampleCheckpoint({ id: idOf("bbbb"), title: hostile }))]

  it("names every state in words", () => {
    const text = renderList(rows, { ...words, width: 100 })
    expect(text).toContain("interrupted")
    expect(text).toContain("running")
    expect(text).not.toMatch(acted)
  })

  it("has one line of tab-separated fields a run where it is to be plain", () => {
    const lines = renderPlain(rows).split("\n")
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(line.split("\t")).toHaveLength(9)
  })
})

describe("a cancel", () => {
  const result = { checkpoint: endedCheckpoint("cancelled_by_user"), ended: [], left: [] }
  const process = { pid: 7, pidStart: "1", command: "sleep", checkpointId: idOf("aaaa") }

  it.each([
    [{ ...result, outcome: "cancelled" as const }, "is cancelled"],
    [{ ...result, outcome: "already_ended" as const, left: [process] }, `alluka cancel ${idOf("aaaa")} --force`],
    [{ ...result, outcome: "owner_unknown" as const }, "--assume-owner-dead"],
    [{ ...result, outcome: "still_running" as const }, "still running"],
    [{ ...result, outcome: "cancelled" as const, ended: [process] }, "7 (sleep)"]
  ])("%# says what became of it", (given, text) => expect(renderCancelled(given, words)).toContain(text))
})
