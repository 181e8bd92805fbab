/** `alluka runs logs ID`: what a run said, in words, or line by line as its provider wrote it. */
import { type Checkpoint, Checkpoints, Documents, type Event, OutputLog, Recovery, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { type Setting, type Step, withApp } from "../app.js"
import type { Command, Invocation } from "../Command.js"
import { findRun } from "../ids.js"
import { renderEvent } from "../output/human/event.js"
import { clock, line } from "../output/human/safe.js"

/** Events of one run at most. */
const most = 100_000
/** How often it is looked whether a followed run has ended, ms. */
const lookMs = 500
/** What a run's last lines are waited for after its end, ms. */
const restMs = 300

export const runsLogs: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, (setting) =>
    Effect.gen(function* () {
      const checkpoint = yield* findRun(invocation.args[0] ?? "", setting.output)
      if (setting.output.json || invocation.options.flag("raw")) yield* rawLines(checkpoint, invocation, setting)
      else yield* inWords(checkpoint, invocation, setting)
      return 0
    })
  )

/** The provider's own lines, redacted. */
const rawLines = (checkpoint: Checkpoint.Checkpoint, { options }: Invocation, { io, output }: Setting): Step<void> =>
  Effect.gen(function* () {
    const log = yield* OutputLog.OutputLog
    const show = (each: OutputLog.OutputLine) =>
      Effect.promise(() => {
        if (output.json) return output.document(Documents.logLine(checkpoint.id, each))
        const stamp = options.flag("timestamps") ? `${new Date(each.at).toISOString()} ` : ""
        // A pipe gets the line as it is kept; a terminal only what is safe for it.
        return output.text(`${stamp}${io.stdoutTerminal ? line(each.text, 10_000) : each.text}`)
      })
    yield* Stream.runForEach(log.read(checkpoint.id, options.number("tail")), show)
    if (options.flag("follow") && checkpoint.state === "running") {
      yield* Effect.raceFirst(
        Stream.runForEach(log.follow(checkpoint.id), show),
        Effect.delay(hasEnded(checkpoint), restMs)
      )
    }
  })

/** Its messages and steps, as a foreground run shows them. */
const inWords = (checkpoint: Checkpoint.Checkpoint, { options }: Invocation, { output }: Setting): Step<void> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const said = (event: Event.StoredEvent): ReadonlyArray<string> => {
      const text = renderEvent(event, output)
      if (text === null || text === "") return []
      return [options.flag("timestamps") ? `${output.paint(clock(event.timestamp), "dim")}  ${text}` : text]
    }
    const before = yield* checkpoints.timeline(Scope.operator, checkpoint.id, 0, most)
    const all = before.flatMap(said).flatMap((text) => text.split("\n"))
    const tail = options.number("tail")
    yield* Effect.promise(() => output.text((tail === null ? all : all.slice(-tail)).join("\n")))
    if (!options.flag("follow") || checkpoint.state !== "running") return
    const after = checkpoints.changes(Scope.operator, before.at(-1)?.seq ?? checkpoint.seq).pipe(
      Stream.filter((event) => event.checkpointId === checkpoint.id),
      Stream.tap((event) => Effect.promise(() => output.text(said(event).join("\n")))),
      Stream.takeUntil((event) => event.kind === "state_changed"),
      Stream.runDrain
    )
    yield* Effect.raceFirst(after, Effect.zipRight(hasEnded(checkpoint), Effect.sleep(restMs)))
  })

/** Returns when the run has ended, whoever ended it. */
const hasEnded = (checkpoint: Checkpoint.Checkpoint) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const recovery = yield* Recovery.Recovery
    yield* Effect.zipRight(recovery.reconcile, checkpoints.get(Scope.operator, checkpoint.id)).pipe(
      Effect.repeat({ until: ({ state }) => state !== "running", schedule: Schedule.spaced(lookMs) })
    )
  })
