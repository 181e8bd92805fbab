import { render } from "ink-testing-library"
import { afterEach, describe, expect, it } from "vitest"
import { type MonitorSession, openSession } from "./feed/session.js"
import { Monitor } from "./Monitor.js"
import { defaultPreferences, type Preferences, type Settings, type Size } from "./model/Model.js"
import { quietHost } from "./terminal/Host.js"
import { eventually } from "./testing/eventually.js"
import { makeFake } from "./testing/fakeServices.js"
import { busyEvening, settings } from "./testing/samples.js"

const open: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const show = async (
  size: Size,
  more: {
    readonly settings?: Partial<Settings>
    readonly preferences?: Partial<Preferences>
    readonly colour?: boolean
  } = {}
) => {
  const fake = makeFake(busyEvening().map(({ checkpoint }) => checkpoint))
  const session: MonitorSession = openSession(await fake.runtime.runtime(), {
    settings: { ...settings, ...more.settings },
    preferences: { ...defaultPreferences, ...more.preferences },
    size,
    filter: "",
    launchArgs: [],
    host: quietHost,
    clock: () => Date.UTC(2026, 10, 30, 22, 48, 3)
  })
  const screen = render(<Monitor session={session} colour={more.colour ?? false} />)
  open.push(async () => {
    screen.unmount()
    await session.stop()
    await fake.runtime.dispose()
  })
  session.start()
  const raw = (): string => screen.lastFrame() ?? ""
  const frame = (): string => raw().replace(/\u001b\[[0-9;]*m/g, "")
  const shows = (text: string | RegExp): Promise<void> =>
    eventually(() => (typeof text === "string" ? frame().includes(text) : text.test(frame())), frame)
  await shows("Migrate orders")
  return { frame, raw, shows, write: screen.stdin.write, session, fake }
}

describe("the monitor in an Ink app", () => {
  it.each([
    [80, 24],
    [60, 20],
    [40, 12]
  ])("fills %i columns and %i rows, less one", async (columns, rows) => {
    const { frame } = await show({ columns, rows })
    const lines = frame().split("\n")
    expect(lines.length).toBe(rows - 1)
    expect(lines[0]).toContain("alluka")
    expect(lines.at(-1)).toContain("quit")
  })

  it("moves with keys that are held, and ignores what is pasted", async () => {
    const { frame, session, shows, write } = await show({ columns: 80, rows: 24 })
    const before = session.store.current().selected
    write("j")
    await shows(/› . Nightly/)
    write("jj")
    await shows(/› . Triage|› . Migrate|› ▾|› LIVE/)
    const selected = session.store.current().selected
    expect(selected).not.toBe(before)
    write("quit and cancel all of it\r")
    write("\u001b[200~q\u001b[201~")
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(session.store.current().selected).toBe(selected)
    expect(frame()).not.toContain("Cancel run")
  })

  it("swallows reports of the mouse and the focus", async () => {
    const { session, write } = await show({ columns: 80, rows: 24 })
    write("/")
    write("\u001b[I")
    write("\u001b[<64;10;5M")
    write("a\u001b[Ob")
    await eventually(
      () => session.store.current().filtering?.text === "ab",
      () => JSON.stringify(session.store.current().filtering)
    )
    expect(session.store.current().focused).toBe(false)
  })

  it("loses no character of a burst in the follow-up", async () => {
    const { session, shows, write } = await show({ columns: 80, rows: 24 })
    write("r")
    await shows("SAME SESSION")
    const text = "abcdefghij".repeat(20)
    for (const character of text) write(character)
    write("\u001b[200~ one\rtwo\rthree\u001b[201~")
    await eventually(() => session.store.current().dialog?.kind === "resume")
    const { dialog } = session.store.current()
    expect(dialog?.kind === "resume" && dialog.field.text).toBe(`${text} one\ntwo\nthree`)
  })

  it("opens help, the palette and the log, and comes back", async () => {
    const { shows, write } = await show({ columns: 80, rows: 24 })
    write("?")
    await shows("type to search")
    write("\u001b")
    await shows("enter open")
    write(":")
    await shows("Commands")
    write("\u001b")
    await shows("enter open")
    write("l")
    await shows("f follow")
  })

  it("shows no colour where none may be used, and some where they may", async () => {
    const without = await show({ columns: 80, rows: 24 })
    expect(without.raw()).not.toMatch(/\u001b\[[0-9;]*3[0-7]m/)
    const coloured = await show({ columns: 80, rows: 24 }, { colour: true })
    await eventually(() => /\u001b\[[0-9;]*3[0-7]m/.test(coloured.raw()), coloured.raw)
  })

  it("reads in one line after the other for a screen reader", async () => {
    const { frame, shows, write } = await show({ columns: 80, rows: 24 }, { settings: { screenReader: true } })
    await shows("Alluka runs. 2 live, 3 need you, 9 done.")
    await shows(/interrupted, can resume: Migrate orders to v2 API, claude sonnet/)
    await shows(/resume preview: >> SAME SESSION/)
    expect(frame()).not.toMatch(/[│─┌›◐●]/)
    write("r")
    await shows("follow-up: empty")
  })
})
