/** `alluka cancel ID...`: asks the owner to end each run, and waits until it is stored. */
import {
  type Checkpoint,
  Checkpoints,
  Documents,
  HostProcesses,
  type OwnerIdentity,
  Recovery,
  Scope
} from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { withApp } from "../app.js"
import type { Command } from "../Command.js"
import { findRun } from "../ids.js"
import { renderCancelled } from "../output/human/cancelled.js"

/** What became of one run that was to be cancelled. */
export interface Cancelled {
  readonly checkpoint: Checkpoint.Checkpoint
  readonly outcome: "cancelled" | "ended_otherwise" | "already_ended" | "still_running" | "owner_unknown"
  /** Processes of the run that were ended here. */
  readonly ended: ReadonlyArray<HostProcesses.Survivor>
  /** Processes of the run that are left. */
  readonly left: ReadonlyArray<HostProcesses.Survivor>
}

/** Who cancels, as the timeline tells it. */
const by = "a person on the command line"
/** How long the agent has for a polite end, ms; then its processes are killed. */
const usualGraceMs = 30_000
/** How long after that the owner has to store the end, ms. */
const storeMs = 15_000
const lookEveryMs = 100
/** How often the owner is asked for whether it is alive, ms. */
const probeEveryMs = 1000

export const cancel: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const { options } = invocation
      const found = yield* Effect.forEach(invocation.args, (text) => findRun(text, output))
      const graceMs = options.number("grace") ?? usualGraceMs
      const results = yield* Effect.forEach(
        found,
        (checkpoint) =>
          checkpoint.state === "running"
            ? cancelRunning(checkpoint, {
                graceMs: options.flag("force") ? 0 : graceMs,
                assumeOwnerDead: options.flag("assumeOwnerDead")
              })
            : endSurvivors(checkpoint, options.flag("force") ? 0 : Math.min(graceMs, 10_000)),
        { concurrency: "unbounded" }
      )
      yield* Effect.promise(() =>
        output.json
          ? output.document(Documents.cancelResultDocument(results))
          : output.text(results.map((each) => renderCancelled(each, output)).join("\n"))
      )
      return Math.max(...results.map(exitCodeOf))
    })
  )

export const exitCodeOf = ({ left, outcome }: Cancelled): number => {
  if (outcome === "still_running") return 8
  return outcome === "owner_unknown" || left.length > 0 ? 6 : 0
}

interface CancelOptions {
  readonly graceMs: number
  readonly assumeOwnerDead: boolean
}

const cancelRunning = (checkpoint: Checkpoint.Checkpoint, { assumeOwnerDead, graceMs }: CancelOptions) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const processes = yield* HostProcesses.HostProcesses
    const recovery = yield* Recovery.Recovery
    const { id } = checkpoint
    yield* checkpoints.cancel(Scope.operator, id, by)
    const owner: OwnerIdentity.Liveness = yield* recovery.ownerOf(checkpoint)
    if (owner._tag === "Unknown") {
      if (!assumeOwnerDead) {
        const left = yield* processes.survivors([id])
        const result: Cancelled = {
          checkpoint: yield* checkpoints.get(Scope.operator, id),
          outcome: "owner_unknown",
          ended: [],
          left
        }
        return result
      }
      yield* recovery.assumeDead(checkpoint)
    }
    const polite = yield* waitForEnd(id, graceMs)
    const killed = polite === null ? yield* killAll(id) : []
    const ended = polite ?? (yield* waitForEnd(id, storeMs))
    const now = ended ?? (yield* checkpoints.get(Scope.operator, id))
    // The owner ends its own; what it could not end any more is ended here.
    const rest = ended === null ? [] : yield* endAll(id, 1000)
    const result: Cancelled = {
      checkpoint: now,
      outcome: now.state === "running" ? "still_running" : now.state === "cancelled" ? "cancelled" : "ended_otherwise",
      ended: [...killed, ...rest],
      left: yield* processes.survivors([id])
    }
    return result
  })

/** The checkpoint once it has ended, looked for until the time is up; `null`: it goes on. */
const waitForEnd = (id: Checkpoint.Checkpoint["id"], ms: number) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const recovery = yield* Recovery.Recovery
    const began = yield* Clock.currentTimeMillis
    let probed = began
    while (true) {
      const checkpoint = yield* checkpoints.get(Scope.operator, id)
      if (checkpoint.state !== "running") return checkpoint
      const now = yield* Clock.currentTimeMillis
      if (now - began >= ms) return null
      if (now - probed >= probeEveryMs) {
        yield* recovery.reconcile
        probed = now
      }
      yield* Effect.sleep(lookEveryMs)
    }
  })

/** Kills the processes that carry the run's mark. The owner carries none. */
const killAll = (id: Checkpoint.Checkpoint["id"]) =>
  Effect.gen(function* () {
    const processes = yield* HostProcesses.HostProcesses
    const found = yield* processes.survivors([id])
    return yield* Effect.filter(found, (each) => processes.signal(each, "SIGKILL"))
  })

const endAll = (id: Checkpoint.Checkpoint["id"], graceMs: number) =>
  Effect.gen(function* () {
    const processes = yield* HostProcesses.HostProcesses
    const found = yield* processes.survivors([id])
    if (found.length === 0) return []
    const left = yield* processes.endAll([id], graceMs)
    return found.filter(({ pid }) => !left.some((each) => each.pid === pid))
  })

/** On a run that has ended: ends what is left of its processes, and the wait for its limit's reset. Its state stays. */
const endSurvivors = (checkpoint: Checkpoint.Checkpoint, graceMs: number) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const processes = yield* HostProcesses.HostProcesses
    yield* checkpoints.cancel(Scope.operator, checkpoint.id, by)
    const ended = yield* endAll(checkpoint.id, graceMs)
    const result: Cancelled = {
      checkpoint,
      outcome: "already_ended",
      ended,
      left: yield* processes.survivors([checkpoint.id])
    }
    return result
  })
