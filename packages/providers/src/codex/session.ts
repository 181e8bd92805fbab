/**
 * What codex's own storage holds of a thread: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl` under CODEX_HOME. The
 * SQLite files beside them are only an index (0.171.0 resumes without them), and codex itself goes on over a broken row
 * without a word, so the rollout is what is looked at.
 */
import { readdir } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Checkpoint, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import { absent, type Breakage, breakAt, damaged, notLookedInto, present, unbroken, unknown } from "../inspection.js"
import { type JsonObject, list, moment, object, text } from "../json.js"
import { foldRows, type Row } from "../process/jsonLines.js"
import type { Env } from "../processProvider.js"

const defaultLocation = (env: Env): string => join(env.HOME ?? homedir(), ".codex")

/** The configuration directory in use. */
export const location = (env: Env): string => {
  const set = env.CODEX_HOME
  return set === undefined || set === "" ? defaultLocation(env) : set
}

/** The variables that make codex use a recorded configuration directory; nothing where it would use it anyway. */
export const envFor = (recorded: string | null, env: Env): Env => {
  if (recorded === null || recorded === location(env)) return {}
  return { CODEX_HOME: recorded === defaultLocation(env) ? undefined : recorded }
}

/** Looks at the file of a thread, without a model call and without starting codex. */
export const inspectSession = (
  session: Checkpoint.ProviderSession,
  env: Env
): Effect.Effect<Provider.SessionInspection> =>
  Effect.gen(function* () {
    const home = session.location ?? location(env)
    const found = yield* rolloutOf(home, session.id)
    if (found === null) return absent(`no rollout of ${session.id} under ${join(home, "sessions")}`)
    if (found.path.endsWith(".zst")) return unknown("the rollout is compressed and was not looked into", found.path)
    return judge(yield* foldRows(found.path, fresh, look), found.path, found.archived)
  }).pipe(Effect.catchAll((error) => Effect.succeed(unknown(error.message))))

/** More folders of days than this are not looked through (about 25 years of daily use). */
const maxFolders = 10_000

const rolloutOf = (home: string, id: string) =>
  Effect.tryPromise({
    try: async () => {
      const isRollout = (name: string): boolean => /^rollout-.*\.jsonl(?:\.zst)?$/.test(name) && name.includes(id)
      const root = join(home, "sessions")
      let looked = 0
      const search = async (folder: string, depth: number): Promise<string | null> => {
        if (++looked > maxFolders) throw new Error(`more than ${maxFolders} folders`)
        const entries = await readdir(folder, { withFileTypes: true })
        const file = entries.find((entry) => entry.isFile() && isRollout(entry.name))
        if (file !== undefined) return join(folder, file.name)
        if (depth === 0) return null
        // The newest days first: that is where an interrupted run lies.
        for (const entry of entries.filter((entry) => entry.isDirectory()).sort((a, b) => (a.name < b.name ? 1 : -1))) {
          const below = await search(join(folder, entry.name), depth - 1)
          if (below !== null) return below
        }
        return null
      }
      const path = await search(root, 3)
      if (path !== null) return { path, archived: false }
      const archive = join(home, "archived_sessions")
      const archived = (await readdir(archive).catch(() => [])).find(isRollout)
      return archived === undefined ? null : { path: join(archive, archived), archived: true }
    },
    catch: (cause) => notLookedInto(`codex's storage ${join(home, "sessions")}`, cause)
  })

/** What a walk over the rows has seen. */
export interface Seen extends Breakage {
  readonly rows: number
  readonly header: boolean
  readonly prompts: number
  readonly lastRowAt: Checkpoint.Time | null
}

export const fresh: Seen = {
  rows: 0,
  header: false,
  prompts: 0,
  ...unbroken,
  lastRowAt: null
}

/** Takes one row in. */
export const look = (seen: Seen, row: Row): Seen => {
  const { value } = row
  const rows = seen.rows + 1
  if (value === null) return breakAt({ ...seen, rows }, row)
  return {
    ...seen,
    rows,
    header: seen.header || (seen.rows === 0 && value.type === "session_meta"),
    prompts: seen.prompts + (isPrompt(value) ? 1 : 0),
    lastRowAt: moment(value.timestamp) ?? seen.lastRowAt
  }
}

/**
 * Whether a row is a message of the person. codex puts rows of its own into the user's role, which begin with a tag or
 * with the title of an instruction file.
 */
const isPrompt = (row: JsonObject): boolean => {
  const payload = object(row.payload)
  if (row.type === "event_msg") {
    return payload.type === "user_message" || object(payload.item).type === "UserMessage"
  }
  if (row.type !== "response_item" || payload.type !== "message" || payload.role !== "user") return false
  const content = list(payload.content)
    .map((part) => text(object(part).text) ?? "")
    .join("\n")
  return content.trim() !== "" && !/^\s*(?:<|# AGENTS\.md)/.test(content)
}

/** What the rows amount to. */
export const judge = (seen: Seen, path: string, archived: boolean): Provider.SessionInspection => {
  if (!seen.header) return damaged("the session file has no readable header: codex cannot open it", path, seen)
  if (seen.broken !== null) {
    return damaged(`line ${seen.broken} of the session file is broken: codex would go on without that part`, path, seen)
  }
  return present(path, {
    ...seen,
    promptMissing: seen.prompts === 0,
    ...(archived ? { detail: "the session is archived: run `codex unarchive` with its id first" } : {})
  })
}
