/** The processes of runs on this machine: found by their mark, told apart by their start, ended politely and then for good. */
import { HostProcesses, Ids } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { here, type ProcessTable } from "./processTable.js"

/** How often processes that are being ended are looked for, ms. */
const lookEveryMs = 50
/** How long a killed process may take to disappear, ms: one that waits for a disk goes on for a while. */
const afterKillMs = 2000

/** The asking process and those above it: an agent may call us, and must not be told that it is in its own way. */
const selfAndAncestors = (table: ProcessTable): ReadonlySet<number> => {
  const found = new Set<number>([process.pid])
  let current = process.ppid
  while (current > 0 && !found.has(current)) {
    found.add(current)
    current = table.find(current)?.parent ?? 0
  }
  return found
}

const decodeId = Schema.decodeUnknownEither(Ids.CheckpointId)

const survivorsIn = (
  table: ProcessTable,
  marks: ReadonlyArray<Ids.CheckpointId>
): ReadonlyArray<HostProcesses.Survivor> => {
  const uid = process.geteuid?.()
  if (uid === undefined || marks.length === 0) return []
  const prefix = `${HostProcesses.runMark}=`
  const found = table.marked(uid, new Set(marks.map((id) => `${prefix}${id}`)))
  if (found.length === 0) return []
  const ours = selfAndAncestors(table)
  return found.flatMap(({ pid, pidStart, command, mark }) =>
    ours.has(pid)
      ? []
      : Either.match(decodeId(mark.slice(prefix.length)), {
          onLeft: () => [],
          onRight: (checkpointId) => [{ pid, pidStart, command, checkpointId }]
        })
  )
}

export const make = (table: ProcessTable): HostProcesses.HostProcesses["Type"] => {
  const survivors: HostProcesses.HostProcesses["Type"]["survivors"] = (marks) =>
    Effect.sync(() => survivorsIn(table, marks))

  const signal: HostProcesses.HostProcesses["Type"]["signal"] = (target, name) =>
    Effect.sync(() => {
      // Without its start time it cannot be told from another process that got the number since.
      if (target.pidStart === null || table.find(target.pid)?.pidStart !== target.pidStart) return false
      try {
        return process.kill(target.pid, name)
      } catch {
        return false
      }
    })

  /** Sends the signal to each process once, new ones included, until none is left or the time is over. */
  const chase = (
    marks: ReadonlyArray<Ids.CheckpointId>,
    name: HostProcesses.Signal,
    boundMs: number
  ): Effect.Effect<ReadonlyArray<HostProcesses.Survivor>> =>
    Effect.gen(function* () {
      const until = (yield* Clock.currentTimeNanos) + BigInt(Math.round(boundMs * 1e6))
      const told = new Set<string>()
      while (true) {
        const left = yield* survivors(marks)
        for (const survivor of left) {
          const who = `${survivor.pid} ${survivor.pidStart}`
          if (told.has(who)) continue
          told.add(who)
          yield* signal(survivor, name)
        }
        if (left.length === 0 || (yield* Clock.currentTimeNanos) >= until) return left
        yield* Effect.sleep(Duration.millis(lookEveryMs))
      }
    })

  return HostProcesses.HostProcesses.of({
    identify: (pid) =>
      Effect.sync(() => Option.map(Option.fromNullable(table.find(pid)), ({ pidStart }) => ({ pid, pidStart }))),
    survivors,
    signal,
    endAll: (marks, graceMs) =>
      Effect.flatMap(chase(marks, "SIGTERM", graceMs), (left) =>
        left.length === 0 ? Effect.succeed(left) : chase(marks, "SIGKILL", afterKillMs)
      )
  })
}

export const layer: Layer.Layer<HostProcesses.HostProcesses> = Layer.sync(HostProcesses.HostProcesses, () => make(here))
