/**
 * Agents whose conversation is one file with one row a line, and nothing else that is of use to us: where it lies, and
 * whether it is whole. They go on over a broken row without a word (qwen 0.24.4, copilot 1.0.102), so it is looked at first.
 */
import { readdir, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Checkpoint, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import { absent, type Breakage, breakAt, damaged, notLookedInto, present, unbroken, unknown } from "../inspection.js"
import { type JsonObject, moment } from "../json.js"
import { foldRows, type Row } from "../process/jsonLines.js"
import type { Env } from "../processProvider.js"
import type { Storage } from "./agents.js"

export interface RowStorage {
  /** The agent, for people. */
  readonly title: string
  /** The variable that moves its folder, and the folder below the home folder. */
  readonly variable: string
  readonly folder: string
  /** Where a session's file may lie below a part of the folder; that part's entries are its projects, or its sessions. */
  readonly root: string
  readonly file: (entry: string, id: string) => string | null
  /** Whether a row is what the person said. */
  readonly isPrompt: (row: JsonObject) => boolean
}

/** What a walk over the rows has seen. */
export interface Seen extends Breakage {
  readonly rows: number
  readonly prompts: number
  readonly lastRowAt: Checkpoint.Time | null
}

export const fresh: Seen = { rows: 0, prompts: 0, ...unbroken, lastRowAt: null }

/** Takes one row in. */
export const look =
  (isPrompt: RowStorage["isPrompt"]) =>
  (seen: Seen, row: Row): Seen => {
    const { value } = row
    const rows = seen.rows + 1
    if (value === null) return breakAt({ ...seen, rows }, row)
    return {
      ...seen,
      rows,
      prompts: seen.prompts + (isPrompt(value) ? 1 : 0),
      lastRowAt: moment(value.timestamp) ?? seen.lastRowAt
    }
  }

/** What the rows amount to. */
export const judge = (seen: Seen, path: string, title: string): Provider.SessionInspection => {
  if (seen.rows === 0) return absent(`${path} is empty`, path)
  if (seen.broken !== null) {
    return damaged(
      `line ${seen.broken} of the session file is broken: ${title} would go on without that part`,
      path,
      seen
    )
  }
  // One row that is cut is all there is of it.
  if (seen.rows === 1 && seen.tailBroken) return damaged("the session file has no readable row", path, seen)
  return present(path, { ...seen, promptMissing: seen.prompts === 0 })
}

/** The storage of such an agent. */
export const rowStorage = ({ file, folder, isPrompt, root, title, variable }: RowStorage): Storage => {
  const defaultLocation = (env: Env): string => join(env.HOME ?? homedir(), folder)
  const location = (env: Env): string => {
    const set = env[variable]
    return set === undefined || set === "" ? defaultLocation(env) : set
  }
  const pathOf = (home: string, id: string): Effect.Effect<string | null, Error> =>
    Effect.tryPromise({
      try: async () => {
        for (const entry of await readdir(join(home, root))) {
          const below = file(entry, id)
          const path = below === null ? null : join(home, root, below)
          if (path !== null && (await stat(path).catch(() => null))?.isFile() === true) return path
        }
        return null
      },
      catch: (cause) => notLookedInto(`the storage ${join(home, root)}`, cause)
    })
  return {
    location,
    envFor: (recorded, env) => {
      if (recorded === null || recorded === location(env)) return {}
      return { [variable]: recorded === defaultLocation(env) ? undefined : recorded }
    },
    inspectSession: (session, env) =>
      Effect.gen(function* () {
        const home = session.location ?? location(env)
        const path = yield* pathOf(home, session.id)
        if (path === null) return absent(`no session file of ${session.id} under ${join(home, root)}`)
        return judge(yield* foldRows(path, fresh, look(isPrompt)), path, title)
      }).pipe(Effect.catchAll((error) => Effect.succeed(unknown(error.message))))
  }
}
