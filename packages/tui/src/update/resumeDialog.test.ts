import type { Decision } from "@alluka/core"
import { describe, expect, it } from "vitest"
import type { Command } from "../model/Command.js"
import type { ResumeDialog } from "../model/Dialog.js"
import type { Message } from "../model/Message.js"
import type { Model } from "../model/Model.js"
import {
  apply,
  busyEvening,
  decisionOf,
  freshDecision,
  heldDecision,
  idOf,
  modelOf,
  press,
  runOf,
  staleDecision
} from "../testing/samples.js"
import { update } from "./update.js"

const dialogOf = (model: Model): ResumeDialog => {
  if (model.dialog?.kind !== "resume") throw new Error(`no resume dialog but ${model.dialog?.kind}`)
  return model.dialog
}

const key = (name: string): Message => ({ _tag: "Pressed", key: name })
const answer = (model: Model, decision: Decision.Decision): Model =>
  apply(model, { _tag: "Decided", token: model.questions, decision })

/** The commands of one message. */
const asked = (model: Model, message: Message): readonly [Model, ReadonlyArray<Command>] => update(model, message)

/** The dialog of one run, with its decision. */
const opened = (decide: (id: string) => Decision.Decision): Model => {
  const model = press(modelOf([runOf({ id: "one", title: "Fix it" })]), "r")
  return answer(model, decide(idOf("one")))
}

const startedWith = (model: Model): Extract<Command, { readonly _tag: "Launch" }> | null => {
  const [, commands] = asked(model, {
    _tag: "Decided",
    token: model.questions,
    decision: dialogOf(model).decision ?? decisionOf("x")
  })
  return commands.find((command) => command._tag === "Launch") ?? null
}

describe("the resume dialog", () => {
  it("asks what a resume would do when it opens, and nothing starts by that", () => {
    const [model, commands] = asked(modelOf([runOf({ id: "one" })]), key("r"))
    expect(commands.map(({ _tag }) => _tag)).toEqual(["Decide"])
    expect(dialogOf(model).step).toBe("deciding")
  })

  it("decides again when it is answered, and starts what was on the screen", () => {
    const model = opened(decisionOf)
    expect(dialogOf(model)).toMatchObject({ focus: "text", option: 0, step: "ready" })
    const [checking, commands] = asked(model, key("enter"))
    expect(commands).toMatchObject([{ _tag: "Decide", ask: { consents: [], instruction: null } }])
    expect(startedWith(checking)).toMatchObject({
      argv: ["resume", idOf("one")],
      input: null,
      from: idOf("one"),
      twin: `alluka resume ${idOf("one")}`
    })
  })

  it("gives the follow-up by stdin, never as an argument", () => {
    const typed = press(opened(decisionOf), "g", "o", "space", "o", "n")
    const launch = startedWith(press(typed, "enter"))
    expect(launch?.argv).toEqual(["resume", idOf("one"), "-p", "-"])
    expect(launch?.input).toBe("go on")
    expect(launch?.twin).toBe(`alluka resume ${idOf("one")} -p 'go on'`)
  })

  it("starts nothing when the decision has changed, and says what it was and what it is", () => {
    const checking = press(opened(decisionOf), "enter")
    const [after, commands] = asked(checking, {
      _tag: "Decided",
      token: checking.questions,
      decision: heldDecision(idOf("one"), "ckpt_other")
    })
    expect(commands.filter(({ _tag }) => _tag === "Launch")).toEqual([])
    expect(dialogOf(after)).toMatchObject({
      step: "ready",
      changed: "Changed: was SAME SESSION (session_valid), now WILL NOT RESUME (already_running)."
    })
  })

  it("takes an answer to an older question for nothing", () => {
    const checking = press(opened(decisionOf), "enter")
    expect(apply(checking, { _tag: "Decided", token: checking.questions - 1, decision: decisionOf(idOf("one")) })).toBe(
      checking
    )
  })

  it("shows a refusal of the started process as what has changed", () => {
    const checking = press(opened(decisionOf), "enter")
    const starting = answer(checking, decisionOf(idOf("one")))
    const after = apply(starting, {
      _tag: "Launched",
      from: idOf("one"),
      twin: "",
      answer: { _tag: "Refused", decision: heldDecision(idOf("one"), "ckpt_other") }
    })
    expect(dialogOf(after).changed).toContain("now WILL NOT RESUME (already_running)")
  })

  it("never has a fresh start as its default", () => {
    const model = opened(freshDecision)
    const [left, commands] = asked(model, key("enter"))
    expect(left.dialog).toBeNull()
    expect(commands).toEqual([])
    const checking = press(model, "F")
    expect(dialogOf(checking)).toMatchObject({ step: "checking", consents: ["fresh"] })
    const fresh = decisionOf(idOf("one"), {
      status: "falling_back_to_fresh_invocation",
      reason: "provider_session_missing"
    })
    const [, started] = asked(checking, { _tag: "Decided", token: checking.questions, decision: fresh })
    expect(started).toMatchObject([{ _tag: "Launch", argv: ["resume", idOf("one"), "--fresh"] }])
  })

  it("starts nothing fresh where the same session was agreed to, nor the other way round", () => {
    const stale = press(opened(staleDecision), "1")
    const fresh = decisionOf(idOf("one"), {
      status: "falling_back_to_fresh_invocation",
      reason: "provider_session_missing"
    })
    expect(asked(stale, { _tag: "Decided", token: stale.questions, decision: fresh })[1]).toEqual([])
    const anew = press(opened(staleDecision), "2")
    expect(asked(anew, { _tag: "Decided", token: anew.questions, decision: decisionOf(idOf("one")) })[1]).toEqual([])
  })

  it("leaves a refusal alone unless a way out is chosen, by its number or by moving to it", () => {
    expect(press(opened(staleDecision), "enter").dialog).toBeNull()
    const chosen = press(opened(staleDecision), "1")
    expect(dialogOf(chosen).consents).toEqual(["stale"])
    const confirmed = decisionOf(idOf("one"), { reason: "session_timed_out_confirmed" })
    expect(asked(chosen, { _tag: "Decided", token: chosen.questions, decision: confirmed })[1]).toMatchObject([
      { _tag: "Launch", argv: ["resume", idOf("one"), "--confirm-stale"] }
    ])
    expect(dialogOf(press(opened(staleDecision), "up", "up", "enter")).consents).toEqual(["stale"])
  })

  it("asks for one more word where the first was not enough, and gives all of them", () => {
    const model = press(
      opened((id) => ({
        ...staleDecision(id),
        reason: "cancelled_requires_confirmation",
        requires: ["cancelled"],
        alternatives: [{ action: "resume_with_consent", title: "Confirm", consents: ["cancelled"], argv: [] }]
      })),
      "1"
    )
    const more = answer(model, staleDecision(idOf("one")))
    expect(dialogOf(more)).toMatchObject({ step: "ready", changed: "One more word is needed:" })
    const both = press(more, "1")
    const [, commands] = asked(both, {
      _tag: "Decided",
      token: both.questions,
      decision: decisionOf(idOf("one"), { reason: "cancelled_confirmed" })
    })
    expect(commands).toMatchObject([
      { _tag: "Launch", argv: ["resume", idOf("one"), "--confirm-cancelled", "--confirm-stale"] }
    ])
  })

  it("watches the holder of a run that is already running", () => {
    const runs = [runOf({ id: "one" }), runOf({ id: "two", state: "running" })]
    const model = answer(press(modelOf(runs), "r"), heldDecision(idOf("one"), idOf("two")))
    const watching = press(model, "enter")
    expect(watching).toMatchObject({ dialog: null, screen: "log", selected: `run:${idOf("two")}` })
  })

  it("asks for the folder where the work is now", () => {
    const moved = (id: string): Decision.Decision =>
      decisionOf(id, {
        status: "refusing_to_resume",
        reason: "workspace_missing",
        alternatives: [
          { action: "relocate", title: "Name the folder", consents: [], argv: ["resume", id, "--cd", "DIR"] }
        ]
      })
    const asking = press(opened(moved), "1")
    expect(dialogOf(asking)).toMatchObject({ asking: "cd", focus: "value" })
    const checking = press(asking, "/", "w", "/", "b", "enter")
    const [, commands] = asked(checking, {
      _tag: "Decided",
      token: checking.questions,
      decision: decisionOf(idOf("one"))
    })
    expect(commands).toMatchObject([{ _tag: "Launch", argv: ["resume", idOf("one"), "--cd", "/w/b"] }])
  })

  it("keeps what was typed as the run's draft, and shows it again", () => {
    const left = press(press(opened(decisionOf), "a", "b"), "escape")
    expect(left.drafts.get(idOf("one"))).toBe("ab")
    expect(dialogOf(answer(press(left, "r"), decisionOf(idOf("one")))).field.text).toBe("ab")
  })

  it("loses nothing of three pasted lines or of two hundred characters at once, and sends nothing off", () => {
    const pasted = apply(opened(decisionOf), { _tag: "Pasted", text: "one\rtwo\rthree" })
    expect(dialogOf(pasted)).toMatchObject({ field: { text: "one\ntwo\nthree" }, step: "ready" })
    const burst = apply(opened(decisionOf), { _tag: "Typed", text: `${"x".repeat(200)}\r` })
    expect(dialogOf(burst)).toMatchObject({ field: { text: `${"x".repeat(200)}\n` }, step: "ready" })
    const mixed = apply(
      opened(decisionOf),
      { _tag: "Typed", text: "run " },
      { _tag: "Typed", text: "tests" },
      key("alt+enter"),
      { _tag: "Typed", text: "then" },
      { _tag: "Typed", text: " edit\u007f\u007ft" }
    )
    expect(dialogOf(mixed).field.text).toBe("run tests\nthen edt")
  })

  it("follows the run that it started", () => {
    const starting = answer(press(opened(decisionOf), "enter"), decisionOf(idOf("one")))
    const launched = apply(starting, {
      _tag: "Launched",
      from: idOf("one"),
      twin: "alluka resume x",
      answer: { _tag: "Started", id: idOf("two") }
    })
    expect(launched.dialog).toBeNull()
    expect(launched.toast?.text).toContain(`Started ${idOf("two")} as attempt 2 · same as: alluka resume x`)
    const two = runOf({
      id: "two",
      state: "running",
      change: { rootId: idOf("one"), resumedFrom: idOf("one"), attempt: 2 }
    })
    const there = apply(launched, {
      _tag: "ChangesRead",
      at: launched.now,
      moved: [],
      lineages: [{ rootId: idOf("one"), runs: [two] }],
      removed: [],
      events: [],
      counts: null
    })
    expect(there.selected).toBe(`run:${idOf("two")}`)
  })

  it("says that nothing was started when the launch failed, and stays", () => {
    const starting = answer(press(opened(decisionOf), "enter"), decisionOf(idOf("one")))
    const failed = apply(starting, { _tag: "LaunchFailed", from: idOf("one"), why: "no memory" })
    expect(dialogOf(failed)).toMatchObject({ step: "ready", trouble: "no memory" })
  })

  it("does not open for a completed or a running run, and says why", () => {
    const completed = press(modelOf([runOf({ id: "a", state: "completed" })]), "r")
    expect(completed.dialog).toBeNull()
    expect(completed.toast?.text).toContain("a record, not resumable")
    const running = press(modelOf([runOf({ id: "a", state: "running" })]), "r")
    expect(running.toast?.text).toContain("nothing to resume")
  })

  it("resumes of the marked runs only those that need nobody's word", () => {
    const marked = press(modelOf(busyEvening()), "*", "r")
    expect(marked.dialog).toMatchObject({ kind: "resumeMany", go: [{ title: "Migrate orders to v2 API" }] })
    const [after, commands] = asked(marked, key("y"))
    expect(commands).toEqual([{ _tag: "LaunchMany", ids: [idOf("7k3m9x2q")] }])
    expect(after.marks.size).toBe(0)
    expect(asked(marked, key("enter"))[1]).toEqual([])
  })
})
