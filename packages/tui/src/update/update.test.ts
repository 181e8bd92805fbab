import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { keyTable } from "../keys/keyTable.js"
import { frameOf } from "../layout/frame.js"
import { plainText } from "../layout/Line.js"
import { logLines } from "../layout/logLines.js"
import type { Command } from "../model/Command.js"
import { entryOf } from "../model/entry.js"
import { listingOf, selectedRun } from "../model/items.js"
import type { Message } from "../model/Message.js"
import { defaultPreferences, initialModel, type Model } from "../model/Model.js"
import type { Run } from "../model/Run.js"
import {
  apply,
  busyEvening,
  eventOf,
  idOf,
  modelOf,
  now,
  press,
  runOf,
  settings,
  snapshotOf
} from "../testing/samples.js"
import { update } from "./update.js"

const key = (name: string): Message => ({ _tag: "Pressed", key: name })
const typed = (text: string): Message => ({ _tag: "Typed", text })
const pasted = (text: string): Message => ({ _tag: "Pasted", text })

const commandsOf = (model: Model, ...messages: ReadonlyArray<Message>): ReadonlyArray<Command> => {
  const all: Array<Command> = []
  let current = model
  for (const message of messages) {
    const [next, commands] = update(current, message)
    current = next
    all.push(...commands)
  }
  return all
}

const names = (commands: ReadonlyArray<Command>): ReadonlyArray<string> => commands.map(({ _tag }) => _tag)

const selectedTitle = (model: Model): string | undefined => selectedRun(model)?.checkpoint.title

describe("in the list", () => {
  it("a paste does nothing at all, whatever it holds", () => {
    for (const text of [
      "q",
      "qqqq",
      "c\ny\n",
      "jjj",
      "x",
      "r\r",
      "quit the monitor and cancel everything\r",
      "/s:failed\r"
    ]) {
      const model = modelOf()
      expect(update(model, pasted(text))).toEqual([model, []])
    }
  })

  it("a burst that is no held key does nothing", () => {
    for (const text of ["quick", "cy", "xx", "cc", "rr", "qq", "yes\r", "one\rtwo\rthree", "nn", "dd"]) {
      const model = modelOf()
      expect(update(model, typed(text))).toEqual([model, []])
    }
  })

  it("a held key moves as often as it came", () => {
    expect(selectedTitle(apply(modelOf(), typed("jj")))).toBe("Migrate orders to v2 API")
    const model = modelOf()
    expect(apply(model, typed("jj"))).toEqual(press(model, "j", "j"))
    expect(selectedTitle(apply(modelOf(), typed("jjk")))).toBe("Nightly dependency bump")
  })

  it("cancel asks first; only y cancels; n, Esc and Enter keep it running", () => {
    const open = press(modelOf(), "3", "c")
    expect(open.dialog).toMatchObject({ kind: "cancel", runs: [{ title: "Triage inbox automation" }] })
    for (const no of ["n", "escape", "enter", "q"]) {
      expect(commandsOf(open, key(no))).toEqual([])
      expect(apply(open, key(no)).dialog).toBeNull()
    }
    expect(commandsOf(open, key("y"))).toEqual([
      { _tag: "Cancel", ids: [idOf("3c8xt6fk")], twin: `alluka cancel ${idOf("3c8xt6fk")}` }
    ])
  })

  it("cancel of the marked takes only those that run", () => {
    const open = press(modelOf(), "*", "c")
    expect(open.dialog?.kind === "cancel" && open.dialog.runs.length).toBe(2)
  })

  it("dismiss, copy and open name the command that does the same", () => {
    const id = idOf("4fq8n1zd")
    expect(commandsOf(modelOf(), key("x"))).toEqual([{ _tag: "Dismiss", ids: [id], twin: `alluka runs dismiss ${id}` }])
    expect(commandsOf(modelOf(), key("y"))).toEqual([{ _tag: "Copy", text: id, what: id }])
    expect(commandsOf(modelOf(), key("Y"))).toMatchObject([{ _tag: "Copy", text: `alluka resume ${id}` }])
    expect(commandsOf(modelOf(), key("o"))).toEqual([{ _tag: "Foreground", argv: ["open", id] }])
  })

  it("opens no screen where there is none, or nothing to show in it, and says which key helps", () => {
    const told = (...runs: ReadonlyArray<Run>): string | undefined =>
      apply(
        modelOf(runs),
        {
          _tag: "ProvidersFound",
          providers: [
            { id: "claude", title: "Claude Code", installed: true, thinkingLevels: [], screen: true, install: "" },
            { id: "spoken", title: "My agent", installed: true, thinkingLevels: [], screen: false, install: "" }
          ]
        },
        key("o")
      ).toast?.text
    expect(told(runOf({ id: "a" }))).toBeUndefined()
    expect(told(runOf({ id: "a", provider: "spoken" }))).toBe(
      "My agent has no screen of its own; r goes on without one."
    )
    expect(told(runOf({ id: "a", state: "completed" }))).toContain("Completed; a record")
    expect(told(runOf({ id: "a", state: "running" }))).toBe("It is running; cancel it first.")
  })

  it("stands still while a person moves, shows what changes in its place, and comes into order afterwards", () => {
    const [first, second] = [
      runOf({ id: "a", title: "first", ago: 60_000 }),
      runOf({ id: "b", title: "second", ago: 120_000 })
    ]
    const begun = runOf({ id: "c", title: "new", state: "running", ago: 0 })
    const ended = runOf({ id: "b", title: "second", ago: 0, message: "again" })
    const titles = (model: Model): ReadonlyArray<string> =>
      listingOf(model).items.flatMap((item) => (item.kind === "run" ? [item.run.checkpoint.title] : []))
    const change: Message = {
      _tag: "ChangesRead",
      at: now,
      moved: [],
      lineages: [ended, begun].map((run) => ({ rootId: run.checkpoint.rootId, runs: [run] })),
      removed: [],
      events: [],
      counts: null
    }
    const ticked = (model: Model): Model => apply(model, { _tag: "Ticked", now: model.now })
    const moved = apply(modelOf([first, second]), key("down"), change)
    expect(titles(moved)).toEqual(["first", "second"])
    expect(selectedTitle(moved)).toBe("second")
    expect(frameOf(moved).map(plainText).join("\n")).toContain("again")
    expect(titles(ticked(moved))).toEqual(["first", "second"])
    expect(titles(ticked(ticked(moved)))).toEqual(["second", "first", "new"])
    expect(selectedTitle(ticked(ticked(moved)))).toBe("second")
    expect(titles(apply(modelOf([first, second]), change))).toEqual(["second", "first", "new"])
    const gone: Message = { ...change, lineages: [], removed: [idOf("a")] }
    expect(titles(apply(moved, gone))).toEqual(["second"])
  })

  it("looks once for conversations to bring in, where there is no run", () => {
    const empty = initialModel(settings, defaultPreferences, { columns: 80, rows: 24 }, now)
    const [looking, commands] = update(empty, snapshotOf([]))
    expect(commands).toContainEqual({ _tag: "CountImportable" })
    expect(update(looking, snapshotOf([]))[1]).not.toContainEqual({ _tag: "CountImportable" })
    expect(modelOf().importable).toBeNull()
    expect(commandsOf(looking, key("i"))).toEqual([{ _tag: "Import", twin: "alluka import" }])
  })

  it("quits without asking, and stops nothing", () => {
    expect(commandsOf(modelOf(), key("q"))).toEqual([{ _tag: "Quit" }])
    expect(commandsOf(modelOf(), key("ctrl+c"))).toEqual([{ _tag: "Quit" }])
  })

  it("Esc clears the marks, then the filter, then nothing", () => {
    const model = press(modelOf(), "/", ..."check", "enter", "space")
    expect(model.marks.size).toBe(1)
    const first = press(model, "escape")
    expect(first).toMatchObject({ filter: "check" })
    expect(first.marks.size).toBe(0)
    expect(press(first, "escape").filter).toBe("")
    expect(update(press(first, "escape"), key("escape"))[1]).toEqual([])
  })

  it("typing a filter never runs a command", () => {
    const model = apply(press(modelOf(), "/"), typed("quit cx"), key("r"), typed("\u007f\u007f"))
    expect(model.filtering?.text).toBe("quit c")
    expect(apply(press(modelOf(), "/"), typed("checkout\r"))).toMatchObject({ filter: "checkout", filtering: null })
  })

  it("reads the next page when the end of what was read comes near, and no more than that", () => {
    const runs = Array.from({ length: 100 }, (_, index) =>
      runOf({ id: `n${index}`, state: "completed", title: `Run ${index}` })
    )
    const snapshot = snapshotOf(runs)
    const partial = {
      ...snapshot,
      groups: { ...snapshot.groups, history: { ...snapshot.groups.history, cursors: ["next", null] } }
    }
    const start = modelOf([])
    expect(names(commandsOf(start, partial))).toEqual(["Inspect"])
    const model = apply(start, partial)
    expect(names(commandsOf(model, key("pagedown")))).not.toContain("ReadMore")
    const atEnd = commandsOf(model, key("G"))
    expect(atEnd.filter(({ _tag }) => _tag === "ReadMore")).toMatchObject([
      { group: "history", cursors: ["next", null] }
    ])
    expect(names(commandsOf(apply(model, key("G")), key("up")))).not.toContain("ReadMore")
  })

  it("reads on by itself while a filter leaves the screen empty", () => {
    const snapshot = snapshotOf(busyEvening())
    const partial = {
      ...snapshot,
      groups: { ...snapshot.groups, history: { ...snapshot.groups.history, cursors: ["next", null] } }
    }
    const page = (cursor: string | null): Message => ({
      _tag: "PageRead",
      generation: 0,
      group: "history",
      page: { runs: [], cursors: [cursor, null], skipped: 0 }
    })
    const filtered = apply(modelOf([]), partial, key("/"), typed("zzz"))
    expect(names(commandsOf(filtered, page("more")))).toContain("ReadMore")
    expect(names(commandsOf(filtered, page(null)))).not.toContain("ReadMore")
    // One that could not be read is told, left alone for a while, and then asked for again.
    const failed = apply(filtered, {
      _tag: "PageFailed",
      generation: 0,
      group: "history",
      why: "the run store is locked"
    })
    expect(failed.toast?.text).toBe("More runs could not be read: the run store is locked")
    expect(names(commandsOf(failed, { _tag: "Ticked", now: failed.now + 1000 }))).not.toContain("ReadMore")
    expect(names(commandsOf(failed, { _tag: "Ticked", now: failed.now + 3000 }))).toContain("ReadMore")
  })

  it("counts damaged records above the list, and names what tells more", () => {
    const snapshot = snapshotOf(busyEvening())
    const damaged = apply(modelOf([]), {
      ...snapshot,
      groups: { ...snapshot.groups, history: { ...snapshot.groups.history, skipped: 2 } }
    })
    for (const columns of [120, 80, 60]) {
      const shown = frameOf({ ...damaged, size: { columns, rows: 24 } }).map(plainText)
      expect(shown.find((line) => line.includes("2 records are damaged and not shown"))).toBeDefined()
      expect(shown.length).toBe(23)
    }
  })

  it("cancels the waiting of a run that is to go on at its limit's reset, and only of such a one", () => {
    const id = idOf("7k3m9x2q")
    const read = (...kinds: ReadonlyArray<"waiting_for_reset" | "cancel_requested">): Model =>
      apply(apply(modelOf(), typed("jj")), {
        _tag: "DetailRead",
        id,
        lineage: [],
        entries: kinds.map((kind, index) => entryOf(eventOf("7k3m9x2q", index + 1, kind, kind)))
      })
    const waiting = read("waiting_for_reset")
    expect(selectedRun(waiting)?.checkpoint.id).toBe(id)
    const asking = press(waiting, "c")
    expect(frameOf(asking).map(plainText).join("\n")).toContain("Stop waiting?")
    expect(commandsOf(asking, key("y"))).toMatchObject([{ _tag: "Cancel", ids: [id] }])
    for (const other of [read(), read("waiting_for_reset", "cancel_requested")]) {
      expect(press(other, "c")).toMatchObject({
        dialog: null,
        toast: { text: "It has ended; there is nothing to cancel." }
      })
    }
  })

  it("asks the store anew for this folder only, and drops answers to what was asked before", () => {
    const [model, commands] = update(modelOf(), key("A"))
    expect(commands).toMatchObject([{ _tag: "Refresh", generation: 1, folder: "/home/ada/src/shop" }])
    expect(apply(model, snapshotOf([], 0)).runs.size).toBe(14)
    expect(apply(model, snapshotOf([], 1)).runs.size).toBe(0)
  })

  it("rings only for a run that newly needs a person, or that was started here and completed", () => {
    const running = modelOf([runOf({ id: "a", state: "running" }), runOf({ id: "b", state: "running" })])
    const becomes = (state: "interrupted" | "completed"): Message => ({
      _tag: "ChangesRead",
      at: now,
      moved: [],
      lineages: [{ rootId: idOf("a"), runs: [runOf({ id: "a", state })] }],
      removed: [],
      events: [],
      counts: null
    })
    expect(names(commandsOf(running, becomes("interrupted")))).toContain("Notify")
    expect(names(commandsOf(running, becomes("completed")))).not.toContain("Notify")
    const mine = { ...running, started: new Set([idOf("a") as string]) }
    expect(names(commandsOf(mine, becomes("completed")))).toContain("Notify")
    const again = apply(running, becomes("interrupted"))
    expect(names(commandsOf(again, becomes("interrupted")))).not.toContain("Notify")
  })

  it("says that it is not live, keeps what it shows, and when it is live again says so", () => {
    const lost = apply(modelOf(), {
      _tag: "ConnectionLost",
      why: "the run store is locked",
      attempt: 3,
      retryAt: now + 4000
    })
    const shown = frameOf(lost).map(plainText).join("\n")
    expect(shown).toContain("not live · showing")
    expect(shown).toContain("Not live, retry 3 in 4s")
    expect(shown).toContain("Migrate orders to v2 API")
    expect(
      frameOf(apply(lost, snapshotOf(busyEvening())))
        .map(plainText)
        .join("\n")
    ).toContain("live · updated")
  })

  it("runs from the palette what the keys run, and says why something cannot be done", () => {
    const found = press(modelOf(), ":", ..."quit")
    expect(commandsOf(found, key("enter"))).toEqual([{ _tag: "Quit" }])
    const cannot = press(modelOf(), ":", ..."cancel", "enter")
    expect(cannot.toast?.text).toBe("It has ended; there is nothing to cancel.")
    expect(cannot.dialog?.kind).toBe("palette")
    expect(press(modelOf(), "?", ..."resume…", "enter").dialog?.kind).toBe("resume")
  })

  it("starts a new run with the prompt by stdin", () => {
    const open = apply(press(modelOf(), "n"), {
      _tag: "ProvidersFound",
      providers: [
        { id: "demo", title: "Demo", installed: true, thinkingLevels: [], screen: true, install: "" },
        { id: "codex", title: "Codex", installed: true, thinkingLevels: ["low", "high"], screen: true, install: "" },
        { id: "pi", title: "Pi", installed: false, thinkingLevels: [], screen: true, install: "" }
      ]
    })
    expect(open.dialog).toMatchObject({ kind: "run", providers: ["codex", "demo"], provider: 0 })
    expect(commandsOf(open, key("enter"))).toEqual([])
    const ready = apply(
      open,
      typed("fix the test"),
      key("tab"),
      key("tab"),
      typed("gpt-5.4"),
      key("tab"),
      key("right"),
      key("tab"),
      key("right"),
      key("tab")
    )
    expect(commandsOf(ready, key("enter"))).toMatchObject([
      {
        _tag: "Launch",
        argv: [
          "run",
          "--provider",
          "codex",
          "--model",
          "gpt-5.4",
          "--thinking",
          "low",
          "--permission",
          "full",
          "-C",
          "/home/ada/src/shop",
          "-"
        ],
        input: "fix the test",
        from: null
      }
    ])
  })

  it("starts a demo only where there is nothing else, by its key", () => {
    expect(commandsOf(modelOf([]), key("d"))).toMatchObject([
      { _tag: "Launch", argv: ["run", "--provider", "demo", "-"] }
    ])
    expect(commandsOf(modelOf(), key("d"))).toEqual([])
  })

  it("keeps a model whose screen exists, whatever is pressed", () => {
    const keys = [...new Set(keyTable.flatMap((binding) => binding.keys)), "y", "n", "enter", "escape", "é"]
    const message = fc.oneof(
      fc.constantFrom(...keys).map(key),
      fc.string({ maxLength: 6 }).map(typed),
      fc.string({ maxLength: 6 }).map(pasted),
      fc
        .record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 60 }) })
        .map((size): Message => ({ _tag: "Resized", size })),
      fc.constant<Message>({ _tag: "Ticked", now: now + 60_000 }),
      fc.constant<Message>(snapshotOf(busyEvening().slice(3)))
    )
    fc.assert(
      fc.property(fc.array(message, { maxLength: 25 }), (messages) => {
        const model = apply(modelOf(), ...messages)
        expect(frameOf(model).length).toBe(Math.max(1, model.size.rows - 1))
      }),
      { numRuns: 150 }
    )
  })
})

describe("the log", () => {
  const lines = Array.from({ length: 200 }, (_, index) =>
    entryOf(eventOf("4fq8n1zd", index + 1, "message", `line ${index + 1}`))
  )
  const open = (): Model =>
    press(
      apply(modelOf(undefined, { columns: 80, rows: 24 }), {
        _tag: "DetailRead",
        id: idOf("4fq8n1zd"),
        lineage: [],
        entries: lines
      }),
      "l"
    )
  const shown = (model: Model): string => frameOf(model).map(plainText).join("\n")

  it("begins at the end and follows", () => {
    expect(shown(open())).toContain("line 200")
    const more = apply(open(), {
      _tag: "ChangesRead",
      at: now,
      moved: [],
      lineages: [],
      removed: [],
      counts: null,
      events: [eventOf("4fq8n1zd", 500, "message", "the newest")]
    })
    expect(shown(more)).toContain("the newest")
  })

  it("stops following when it is scrolled, counts what is new, and follows again with f", () => {
    const scrolled = press(open(), "pageup")
    expect(shown(scrolled)).not.toContain("line 200 ")
    const more = apply(scrolled, {
      _tag: "ChangesRead",
      at: now,
      moved: [],
      lineages: [],
      removed: [],
      counts: null,
      events: Array.from({ length: 37 }, (_, index) => eventOf("4fq8n1zd", 500 + index, "message", `new ${index}`))
    })
    expect(shown(more)).toContain("+37 new · f follow")
    expect(shown(press(more, "f"))).toContain("new 36")
    expect(shown(press(more, "G"))).toContain("new 36")
  })

  it("finds, goes on and back", () => {
    const found = press(open(), "/", ..."line 15", "enter")
    const at = (model: Model): string | undefined =>
      model.log?.found == null ? undefined : logLines(model)[model.log.found]?.text
    expect(at(press(found, "n"))).toMatch(/^line 15/)
    expect(at(press(found, "N"))).toMatch(/^line 15/)
    expect(at(press(found, "n"))).not.toBe(at(press(found, "N")))
    expect(press(open(), "/", ..."nowhere", "enter").toast?.text).toContain("was not found")
  })

  it("wraps long lines or cuts them, and remembers which", () => {
    const long = entryOf(eventOf("4fq8n1zd", 999, "message", "long", { payload: { text: `${"word ".repeat(60)}END` } }))
    const model = press(
      apply(modelOf(undefined, { columns: 80, rows: 24 }), {
        _tag: "DetailRead",
        id: idOf("4fq8n1zd"),
        lineage: [],
        entries: [long]
      }),
      "l"
    )
    expect(shown(model)).toContain("END")
    const [cut, commands] = update(model, key("w"))
    expect(shown(cut)).not.toContain("END")
    expect(commands).toMatchObject([{ _tag: "SavePreferences", preferences: { wrap: false } }])
  })

  it("shows the raw output of the provider on request", () => {
    const [raw, commands] = update(open(), key("v"))
    expect(commands).toEqual([{ _tag: "FollowRaw", id: idOf("4fq8n1zd") }])
    const read = apply(raw, {
      _tag: "RawRead",
      id: idOf("4fq8n1zd"),
      first: true,
      lines: [{ at: now, from: "stderr", text: "raw words" }]
    })
    expect(shown(read)).toContain("raw words")
    expect(commandsOf(read, key("escape"))).toEqual([{ _tag: "FollowRaw", id: null }])
  })
})
