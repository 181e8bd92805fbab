import type { Checkpoint } from "@alluka/core"
import { OwnerIdentity, RunLauncher } from "@alluka/core"
import type * as Runtime from "effect/Runtime"
import { afterEach, describe, expect, it } from "vitest"
import { listingOf, selectedRun } from "../model/items.js"
import { defaultPreferences, type Model } from "../model/Model.js"
import { quietHost } from "../terminal/Host.js"
import { eventually } from "../testing/eventually.js"
import { type Fake, makeFake } from "../testing/fakeServices.js"
import { checkpointOf, decisionOf, heldDecision, idOf, settings, staleDecision } from "../testing/samples.js"
import type { MonitorServices } from "./services.js"
import { type MonitorSession, openSession } from "./session.js"

const open: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

interface Opened {
  readonly fake: Fake
  readonly session: MonitorSession
  readonly model: () => Model
  readonly press: (...keys: ReadonlyArray<string>) => void
  readonly until: (holds: (model: Model) => boolean, withinMs?: number) => Promise<void>
}

const begin = async (runs: ReadonlyArray<Checkpoint.Checkpoint>): Promise<Opened> => {
  const fake = makeFake(runs)
  const runtime: Runtime.Runtime<MonitorServices> = await fake.runtime.runtime()
  const session = openSession(runtime, {
    settings,
    preferences: defaultPreferences,
    size: { columns: 120, rows: 36 },
    filter: "",
    launchArgs: [],
    host: quietHost,
    clock: () => Date.now()
  })
  open.push(async () => {
    await session.stop()
    await fake.runtime.dispose()
  })
  const model = (): Model => session.store.current()
  session.start()
  const until: Opened["until"] = (holds, withinMs) =>
    eventually(
      () => holds(model()),
      () =>
        JSON.stringify({
          connection: model().connection,
          runs: [...model().runs.keys()],
          detail: model().detail?.id,
          dialog: model().dialog,
          toast: model().toast
        }),
      withinMs
    )
  await until(({ connection }) => connection._tag === "Live")
  return {
    fake,
    session,
    model,
    until,
    press: (...keys) => {
      for (const key of keys) session.store.dispatch({ _tag: "Pressed", key })
    }
  }
}

const stateOf = (model: Model, id: string): string | undefined => model.runs.get(idOf(id))?.checkpoint.state

describe("a monitor over its services", () => {
  it("shows what there is, then everything that changes", async () => {
    const { fake, until } = await begin([checkpointOf({ id: "a", state: "running" })])
    fake.put(checkpointOf({ id: "b", state: "running" }), "created")
    await until((model) => stateOf(model, "b") === "running")
    fake.put(checkpointOf({ id: "a", state: "failed" }))
    await until((model) => stateOf(model, "a") === "failed")
    fake.remove(idOf("b"))
    await until((model) => !model.runs.has(idOf("b")))
  })

  it("misses nothing that happens while it reads for the first time", async () => {
    const fake = makeFake([])
    const runtime = await fake.runtime.runtime()
    const session = openSession(runtime, {
      settings,
      preferences: defaultPreferences,
      size: { columns: 120, rows: 36 },
      filter: "",
      launchArgs: [],
      host: quietHost,
      clock: () => Date.now()
    })
    open.push(async () => {
      await session.stop()
      await fake.runtime.dispose()
    })
    const numbers = Array.from({ length: 40 }, (_, index) => index)
    session.start()
    for (const index of numbers) {
      fake.put(checkpointOf({ id: `r${index}x`, state: "completed" }), "created")
      await Promise.resolve()
    }
    await eventually(
      () => session.store.current().runs.size === 40,
      () => `${session.store.current().runs.size}`
    )
  })

  it("paints the first change at once and a flood at most every 75 ms", async () => {
    const { fake, session, until } = await begin([checkpointOf({ id: "a", state: "running" })])
    const times: Array<number> = []
    let runs = session.store.current().runs
    session.store.subscribe(() => {
      if (session.store.get().runs !== runs) times.push(performance.now())
      runs = session.store.get().runs
    })
    const start = performance.now()
    for (let turn = 1; turn <= 200; turn++) {
      fake.put(checkpointOf({ id: "a", state: "running", turn, seq: 1 }), "message", `step ${turn}`)
      if (turn % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await until((model) => model.runs.get(idOf("a"))?.checkpoint.progress.position.turn === 200)
    const took = performance.now() - start
    expect(times.length).toBeGreaterThan(1)
    expect(times.length).toBeLessThanOrEqual(took / 75 + 3)
  })

  it("reads no more rows than the screen needs, and on when they are wanted", async () => {
    const many = Array.from({ length: 5000 }, (_, index) =>
      checkpointOf({ id: `n${index}x`, state: "completed", seq: index + 1, ago: (5000 - index) * 1000 })
    )
    const { fake, model, press, until } = await begin(many)
    expect(fake.asked.rows).toBe(100)
    expect(listingOf(model()).counts.history).toEqual({ value: 5000, exact: true })
    press("G")
    await until(({ runs }) => runs.size === 200)
    press("G")
    await until(({ runs }) => runs.size === 300)
    expect(fake.asked.rows).toBeLessThanOrEqual(400)
  })

  it("says what to type in a terminal, where it has none to give away", async () => {
    const { press, until } = await begin([checkpointOf({ id: "a" })])
    press("o")
    await until(({ toast }) => toast?.text === `Not possible here; in a terminal: alluka open ${idOf("a")}`)
  })

  it("shows a run whose owner died as interrupted, without a key", async () => {
    const { fake, until } = await begin([checkpointOf({ id: "a", state: "running" })])
    fake.owner(idOf("a"), OwnerIdentity.Liveness.Dead({ cause: "owner_lost" }))
    await until((model) => stateOf(model, "a") === "interrupted", 3000)
  })

  it("says of an owner that nothing is proven, and takes nothing from it", async () => {
    const { fake, model, until } = await begin([checkpointOf({ id: "a", state: "running" })])
    fake.owner(idOf("a"), OwnerIdentity.Liveness.Unknown({ why: "another host" }))
    await until(({ unproven }) => unproven.has(idOf("a")), 3000)
    expect(stateOf(model(), "a")).toBe("running")
  })

  it("keeps what it shows when the store cannot be read, says so, and comes back by itself", async () => {
    const { fake, model, until } = await begin([checkpointOf({ id: "a" })])
    fake.lock(true)
    await until(({ connection }) => connection._tag === "Lost", 3000)
    expect(model().runs.size).toBe(1)
    expect(model().connection).toMatchObject({ attempt: 1 })
    fake.put(checkpointOf({ id: "b" }))
    fake.lock(false)
    await until(({ connection, runs }) => connection._tag === "Live" && runs.size === 2)
  })

  it("comes back at once with R", async () => {
    const { fake, press, until } = await begin([checkpointOf({ id: "a" })])
    fake.lock(true)
    await until(({ connection }) => connection._tag === "Lost" && connection.attempt >= 3, 8000)
    fake.lock(false)
    press("R")
    await until(({ connection }) => connection._tag === "Live", 1500)
  }, 15_000)

  it("reads the details of the selected run, and what a resume would do, with nothing secret in it", async () => {
    const fakeDecision = (id: string) => decisionOf(id, { detail: "in /w/SECRET" })
    const { fake, model, until } = await begin([checkpointOf({ id: "a" })])
    fake.decide(fakeDecision)
    fake.put(checkpointOf({ id: "a" }), "message", "hello")
    await until(({ detail }) => detail?.loaded === true && detail.entries.some(({ text }) => text === "hello"))
    fake.put(checkpointOf({ id: "a" }))
    await until(({ detail }) => detail?.decision?.detail === "in /w/[redacted]", 12_000)
    expect(model().runs.get(idOf("a"))?.decision?.basis).toBe("record")
  }, 15_000)

  it("carries a resume from its preview through the dialog to the launched process", async () => {
    const { fake, model, press, session, until } = await begin([checkpointOf({ id: "a" })])
    press("r")
    await until(({ dialog }) => dialog?.kind === "resume" && dialog.step === "ready")
    session.store.dispatch({ _tag: "Typed", text: "go on" })
    fake.answer(RunLauncher.Launched.Started({ id: idOf("b") }))
    press("enter")
    await until(({ dialog }) => dialog === null)
    expect(fake.asked.launched).toEqual([{ argv: ["resume", idOf("a"), "-p", "-"], input: "go on" }])
    fake.put(checkpointOf({ id: "a", change: { resumedBy: idOf("b") } }))
    fake.put(
      checkpointOf({ id: "b", state: "running", change: { rootId: idOf("a"), resumedFrom: idOf("a"), attempt: 2 } }),
      "created"
    )
    await until((now) => selectedRun(now)?.checkpoint.id === idOf("b"))
    expect(model().toast?.text).toContain(`alluka resume ${idOf("a")}`)
  })

  it("starts nothing when the decision has changed between the dialog and its answer", async () => {
    const { fake, model, press, until } = await begin([checkpointOf({ id: "a" })])
    press("r")
    await until(({ dialog }) => dialog?.kind === "resume" && dialog.step === "ready")
    fake.decide((id) => heldDecision(id, "ckpt_other"))
    press("enter")
    await until(({ dialog }) => dialog?.kind === "resume" && dialog.changed !== null)
    expect(fake.asked.launched).toEqual([])
    expect(model().dialog).toMatchObject({ changed: expect.stringContaining("Changed: was SAME SESSION") })
  })

  it("gives a consent of the dialog as the flag that it is", async () => {
    const { fake, press, until } = await begin([checkpointOf({ id: "a" })])
    fake.decide((id, consents) =>
      consents.has("stale") ? decisionOf(id, { reason: "session_timed_out_confirmed" }) : staleDecision(id)
    )
    fake.answer(RunLauncher.Launched.Started({ id: idOf("b") }))
    press("r")
    await until(({ dialog }) => dialog?.kind === "resume" && dialog.step === "ready")
    press("1")
    await until(({ dialog }) => dialog === null)
    expect(fake.asked.launched).toEqual([{ argv: ["resume", idOf("a"), "--confirm-stale"], input: null }])
  })

  it("says why nothing was started", async () => {
    const { fake, press, until } = await begin([checkpointOf({ id: "a" })])
    fake.answer(new RunLauncher.LaunchFailed({ operation: "test", code: "x", detail: "no more SECRET processes" }))
    press("r")
    await until(({ dialog }) => dialog?.kind === "resume" && dialog.step === "ready")
    press("enter")
    await until(({ dialog }) => dialog?.kind === "resume" && dialog.trouble === "no more [redacted] processes")
  })

  it("cancels, dismisses and renames through the same services as the commands", async () => {
    const { fake, press, session, until } = await begin([
      checkpointOf({ id: "a", state: "running" }),
      checkpointOf({ id: "b" })
    ])
    press("3", "c", "y")
    await until(({ runs }) => runs.get(idOf("a"))?.checkpoint.cancelRequested != null)
    expect(fake.asked.cancelled).toEqual([idOf("a")])
    press("2", "x")
    await until(({ runs }) => runs.get(idOf("b"))?.checkpoint.dismissedAt != null)
    press("4", ":")
    session.store.dispatch({ _tag: "Typed", text: "rename" })
    press("enter")
    session.store.dispatch({ _tag: "Typed", text: " again" })
    press("enter")
    await until(({ runs }) => [...runs.values()].some(({ checkpoint }) => checkpoint.title.endsWith(" again")))
  })

  it("follows the raw output of a run", async () => {
    const { fake, press, until } = await begin([checkpointOf({ id: "a", state: "running" })])
    fake.output(idOf("a"), "first")
    press("l", "v")
    await until(({ log }) => log?.raw.length === 1)
    fake.output(idOf("a"), "second")
    await until(({ log }) => log?.raw.at(-1)?.text === "second")
  })
})
