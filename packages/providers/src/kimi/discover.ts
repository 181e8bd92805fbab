/**
 * Finds the id of a new session while the run goes on: kimi tells it only at the end, and not at all where the run fails or
 * is killed. kimi adds a line to `session_index.jsonl` for every session that it makes; ours is the one made since in our
 * folder whose conversation holds our prompt.
 */
import { open, stat } from "node:fs/promises"
import { join } from "node:path"
import { type Provider, RunEvent } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { parseObject, text } from "../json.js"
import { foldRows } from "../process/jsonLines.js"
import { fresh, isSessionId, look, wireOf } from "./session.js"

const indexOf = (home: string): string => join(home, "session_index.jsonl")

/** How far the index goes now, in bytes; 0 where there is none. */
export const indexSize = (home: string): Effect.Effect<number> =>
  Effect.promise(() =>
    stat(indexOf(home)).then(
      ({ size }) => size,
      () => 0
    )
  )

/** A session of the index. */
export interface Indexed {
  readonly id: string
  readonly folder: string
}

/** The sessions of one folder of runs in a part of the index. Lines that are not whole yet are left out. */
export const indexed = (part: string, cwd: string): ReadonlyArray<Indexed> =>
  part.split("\n").flatMap((line) => {
    const row = parseObject(line)
    const [id, folder] = [text(row?.sessionId), text(row?.sessionDir)]
    return id !== null && folder !== null && isSessionId(id) && text(row?.workDir) === cwd ? [{ id, folder }] : []
  })

/** More of the index than this is not read at once; no run needs it. */
const partBytes = 1024 * 1024

const partFrom = (home: string, from: number): Effect.Effect<string> =>
  Effect.promise(async () => {
    const file = await open(indexOf(home), "r").catch(() => null)
    if (file === null) return ""
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(partBytes), 0, partBytes, from)
      return buffer.toString("utf8", 0, bytesRead)
    } finally {
      await file.close()
    }
  })

/** Looks once: the session made since `from` in the run's folder that holds its prompt. */
export const find = (
  home: string,
  from: number,
  { cwd, prompt }: Pick<Provider.StartRequest, "cwd" | "prompt">
): Effect.Effect<Option.Option<string>> =>
  Effect.gen(function* () {
    for (const { folder, id } of indexed(yield* partFrom(home, from), cwd)) {
      const seen = yield* foldRows(wireOf(folder), fresh, look).pipe(Effect.orElseSucceed(() => fresh))
      if (seen.prompts.some((each) => each.trim() === prompt.trim())) return Option.some(id)
    }
    return Option.none()
  })

/** Looks until it finds it, a few times a second and then ever more rarely. */
const patience = Schedule.exponential(250, 1.2).pipe(Schedule.union(Schedule.spaced(5000)))

/** The name of the session, once it is found. That its conversation holds the prompt proves that it was opened. */
export const discovered = (
  home: string,
  from: number,
  request: Pick<Provider.StartRequest, "cwd" | "prompt">
): Stream.Stream<RunEvent.RunEvent> =>
  Stream.repeatEffectWithSchedule(find(home, from, request), patience).pipe(
    Stream.filterMap((found) => found),
    Stream.take(1),
    Stream.map((id) => RunEvent.RunEvent.SessionNamed({ id, location: home, confirms: true }))
  )
