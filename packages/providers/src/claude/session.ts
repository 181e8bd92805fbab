/**
 * What claude's own storage holds of a conversation: `projects/<folder>/<id>.jsonl` under its configuration directory.
 * The folder's name is derived from the folder of the run, but a resume from elsewhere goes on in the old file, so every
 * folder is looked into. Observed on 2.1.332, which itself goes on over a broken line without a word.
 */
import { readdir, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Checkpoint, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import { absent, type Breakage, breakAt, damaged, notLookedInto, present, unbroken, unknown } from "../inspection.js"
import { moment, object, text } from "../json.js"
import { foldRows, type Row } from "../process/jsonLines.js"
import type { Env } from "../processProvider.js"

/** Where claude keeps its files if nothing says otherwise. */
const defaultLocation = (env: Env): string => join(env.HOME ?? homedir(), ".claude")

/** The configuration directory in use. */
export const location = (env: Env): string => {
  const set = env.CLAUDE_CONFIG_DIR
  return set === undefined || set === "" ? defaultLocation(env) : set
}

/** The variables that make claude use a recorded configuration directory; nothing where it would use it anyway. */
export const envFor = (recorded: string | null, env: Env): Env => {
  if (recorded === null || recorded === location(env)) return {}
  return { CLAUDE_CONFIG_DIR: recorded === defaultLocation(env) ? undefined : recorded }
}

/** Looks at the file of a conversation, without a model call and without starting claude. */
export const inspectSession = (
  session: Checkpoint.ProviderSession,
  env: Env
): Effect.Effect<Provider.SessionInspection> =>
  Effect.gen(function* () {
    const projects = join(session.location ?? location(env), "projects")
    const files = yield* filesOf(projects, session.id)
    const path = files[0]
    if (path === undefined) return absent(`no file ${session.id}.jsonl under ${projects}`)
    const seen = yield* foldRows(path, fresh, look)
    return judge(seen, path)
  }).pipe(Effect.catchAll((error) => Effect.succeed(unknown(error.message))))

/** The files of a session, newest first. No storage at all proves nothing: it may simply lie elsewhere. */
const filesOf = (projects: string, id: string) =>
  Effect.tryPromise({
    try: async () => {
      const folders = await readdir(projects)
      const found = await Promise.all(
        folders.map(async (folder) => {
          const path = join(projects, folder, `${id}.jsonl`)
          const info = await stat(path).catch(() => null)
          return info?.isFile() === true ? [{ path, at: info.mtimeMs }] : []
        })
      )
      return found
        .flat()
        .sort((a, b) => b.at - a.at)
        .map(({ path }) => path)
    },
    catch: (cause) => notLookedInto(`claude's storage ${projects}`, cause)
  })

/** What a walk over the rows has seen. */
export interface Seen extends Breakage {
  readonly messages: number
  readonly prompts: number
  readonly lastRowAt: Checkpoint.Time | null
}

export const fresh: Seen = { messages: 0, prompts: 0, ...unbroken, lastRowAt: null }

/** Takes one row in. Rows of the conversation carry a `uuid`; the others are claude's own bookkeeping. */
export const look = (seen: Seen, row: Row): Seen => {
  const { value } = row
  if (value === null) return breakAt(seen, row)
  if (text(value.uuid) === null) return seen
  const kind = value.type
  return {
    ...seen,
    messages: seen.messages + (kind === "user" || kind === "assistant" ? 1 : 0),
    prompts: seen.prompts + (kind === "user" && object(value.message).role === "user" ? 1 : 0),
    lastRowAt: moment(value.timestamp) ?? seen.lastRowAt
  }
}

/** What the rows amount to. A file without any message is to claude as if it were not there. */
export const judge = (seen: Seen, path: string): Provider.SessionInspection => {
  if (seen.messages === 0) return absent(`${path} holds no conversation`, path)
  if (seen.broken !== null) {
    return damaged(
      `line ${seen.broken} of the session file is broken: claude would go on without that part`,
      path,
      seen
    )
  }
  return present(path, { ...seen, promptMissing: seen.prompts === 0 })
}
