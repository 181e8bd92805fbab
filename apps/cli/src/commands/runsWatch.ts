/** `alluka runs watch [ID...]`: what happens, as it is committed by whichever process. */
import { type Checkpoint, Checkpoints, Documents, type Event, ExitCodes, Recovery, Scope, State } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import { looks } from "@alluka/tui/list"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { type Setting, type Step, withApp } from "../app.js"
import type { Command, Invocation } from "../Command.js"
import { printEvent } from "../follow.js"
import { findRun } from "../ids.js"
import { line } from "../output/human/safe.js"

/** How often the owners of running runs are looked at, ms. */
const probeMs = 1000
/** How often a program that reads along is told that there is nothing to tell, ms. */
const heartbeatMs = 15_000

export const runsWatch: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, (setting) => watch(invocation, setting))

const watch = (invocation: Invocation, setting: Setting): Step<number> =>
  Effect.gen(function* () {
    const { options } = invocation
    const { output } = setting
    const checkpoints = yield* Checkpoints.Checkpoints
    const named = yield* Effect.forEach(invocation.args, (text) => findRun(text, output))
    const from = options.number("fromSeq")
    const until = options.text("until") as State.State | null
    const waiting = yield* Ref.make(yield* stillToCome(named, from))
    const follows = new Set(named.map(({ id }) => id))

    const goesOn = (event: Event.StoredEvent) =>
      Effect.gen(function* () {
        const state = stateTold(event)
        if (state === null) return true
        if (named.length === 0) return state !== until
        if (state !== until && state === "running") return true
        return yield* Ref.modify(waiting, (left) => {
          const rest = new Set([...left].filter((id) => id !== event.checkpointId))
          return [rest.size > 0, rest] as const
        })
      })

    if (named.length > 0 && (yield* Ref.get(waiting)).size === 0) {
      yield* Effect.promise(() => output.note(named.map(({ id, state }) => `${id} has ended: ${state}`).join("\n")))
      return yield* exitCode(named, until, options.flag("exitStatus"))
    }
    const stream = checkpoints.changes(Scope.operator, from ?? undefined).pipe(
      Stream.filter((event) => follows.size === 0 || follows.has(event.checkpointId)),
      Stream.tap((event) => show(event, named.length !== 1, setting)),
      Stream.mapEffect(goesOn),
      Stream.takeWhile((more) => more),
      Stream.runDrain
    )
    const timeout = options.number("timeout")
    const finished = yield* Effect.raceFirst(
      Effect.as(stream, true),
      timeout === null ? Effect.never : Effect.as(Effect.sleep(timeout), false)
    ).pipe(Effect.raceFirst(keepTrue), Effect.raceFirst(output.json ? heartbeats(setting) : Effect.never))
    if (!finished && (named.length > 0 || until !== null)) {
      yield* Effect.promise(() => output.note("the time is up; what was watched goes on"))
      return 8
    }
    return yield* exitCode(named, until, options.flag("exitStatus"))
  })

/** Runs of which an end is still to be told after `from`; an end that was told before is not waited for. */
const stillToCome = (named: ReadonlyArray<Checkpoint.Checkpoint>, from: number | null) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const left = new Set<string>()
    for (const { id, state } of named) {
      const told =
        state !== "running" &&
        (from === null ||
          (yield* checkpoints.timeline(Scope.operator, id, from)).every((event) => event.kind !== "state_changed"))
      if (!told) left.add(id)
    }
    return left
  })

/** The state that an event tells, if it tells one. */
const stateTold = (event: Event.StoredEvent): State.State | null => {
  if (event.kind === "created") return "running"
  const { to } = event.payload
  return event.kind === "state_changed" && Schema.is(State.State)(to) ? to : null
}

const show = (event: Event.StoredEvent, many: boolean, { output }: Setting) =>
  Effect.gen(function* () {
    if (output.json) return yield* printEvent(event, output)
    const state = stateTold(event)
    if (state !== null) {
      const look = looks[state]
      const text = `${output.paint(`${output.ascii ? look.ascii : look.glyph} ${look.word}`, look.tone)}  ${event.checkpointId}  ${line(event.message)}`
      return yield* Effect.promise(() => output.text(text))
    }
    if (many)
      yield* Effect.promise(() =>
        output.text(`${output.paint(event.checkpointId, "dim")}  ${event.kind}: ${line(event.message)}`)
      )
    else yield* printEvent(event, output)
  })

/** While it is watched, a run whose owner dies is found within a second. */
const keepTrue = Effect.flatMap(Recovery.Recovery, (recovery) =>
  Effect.zipRight(Effect.ignore(recovery.reconcile).pipe(Effect.repeat(Schedule.spaced(probeMs))), Effect.never)
)

const heartbeats = ({ output }: Setting) =>
  Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const beat = Documents.heartbeatLine({
      checkpointId: null,
      taskId: null,
      phase: null,
      at,
      message: "",
      payload: {}
    })
    yield* Effect.promise(() => output.document(beat))
  }).pipe(Effect.delay(heartbeatMs), Effect.forever)

/** As the worst of the runs ended, where that was asked for; a state that was waited for and did not come is no success. */
const exitCode = (named: ReadonlyArray<Checkpoint.Checkpoint>, until: State.State | null, status: boolean) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const now = yield* Effect.forEach(named, ({ id }) => checkpoints.get(Scope.operator, id))
    const missed = until !== null && now.some(({ state }) => state !== until && state !== "running")
    if (!status && !missed) return 0
    const worst = Math.max(0, ...now.map((checkpoint) => ExitCodes.exitCodeOfRun(checkpoint, null)))
    return missed && worst === 0 ? 1 : worst
  })
