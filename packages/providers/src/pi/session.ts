/**
 * What pi's own storage holds of a session: a file `<time>_<id>.jsonl` whose first line names the session and its folder.
 * 0.73.1 writes it only when the first answer is complete, 1.6.0 before it asks the model. Both go on over a broken line
 * without a word, and without everything that came before it.
 */
import { appendFile, open, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Checkpoint, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import { absent, type Breakage, breakAt, damaged, notLookedInto, present, unbroken, unknown } from "../inspection.js"
import { moment, object, text } from "../json.js"
import { foldRows, type Row } from "../process/jsonLines.js"

/** Whether a text can be an id of pi's (the letters that 1.6.0 allows); 0.73.1 makes UUIDs. */
export const isSessionId = (text: string): boolean => /^[A-Za-z0-9](?:[\w.-]{0,126}[A-Za-z0-9])?$/.test(text)

/** What a walk over the rows has seen. */
export interface Seen extends Breakage {
  readonly rows: number
  /** From the first line; `null` where that is no header. */
  readonly id: string | null
  readonly cwd: string | null
  readonly prompts: number
  readonly lastRowAt: Checkpoint.Time | null
}

export const fresh: Seen = {
  rows: 0,
  id: null,
  cwd: null,
  prompts: 0,
  ...unbroken,
  lastRowAt: null
}

/** Takes one row in. */
export const look = (seen: Seen, row: Row): Seen => {
  const { value } = row
  const rows = seen.rows + 1
  if (value === null) return breakAt({ ...seen, rows }, { line: row.line, last: row.last && rows > 1 })
  const header = seen.rows === 0 && value.type === "session"
  return {
    ...seen,
    rows,
    id: header ? text(value.id) : seen.id,
    cwd: header ? text(value.cwd) : seen.cwd,
    prompts: seen.prompts + (value.type === "message" && object(value.message).role === "user" ? 1 : 0),
    lastRowAt: moment(value.timestamp) ?? seen.lastRowAt
  }
}

export interface SessionFile {
  readonly path: string
  readonly seen: Seen
}

/** The files of a session, of whatever folder; fails where there is no storage at all, which proves nothing. */
export const filesOf = (sessions: string, id: string): Effect.Effect<ReadonlyArray<SessionFile>, Error> =>
  Effect.tryPromise({
    try: async () => {
      const entries = await readdir(sessions, { withFileTypes: true })
      const isFile = (name: string): boolean => name.endsWith(`_${id}.jsonl`)
      const below = await Promise.all(
        entries
          .filter((entry) => entry.isDirectory())
          .map(async ({ name }) => {
            const names = await readdir(join(sessions, name)).catch((): ReadonlyArray<string> => [])
            return names.filter(isFile).map((file) => join(sessions, name, file))
          })
      )
      const flat = entries
        .filter((entry) => entry.isFile() && isFile(entry.name))
        .map(({ name }) => join(sessions, name))
      return [...flat, ...below.flat()]
    },
    catch: (cause) => notLookedInto(`pi's storage ${sessions}`, cause)
  }).pipe(
    Effect.flatMap((paths) =>
      Effect.forEach(paths, (path) => Effect.map(foldRows(path, fresh, look), (seen) => ({ path, seen })))
    )
  )

/** The file that pi goes on from in a folder: the one whose header names that folder, else any. */
export const sessionFileAmong = (files: ReadonlyArray<SessionFile>, cwd: string): SessionFile | null =>
  files.find(({ seen }) => seen.cwd === cwd) ?? files[0] ?? null

/** Looks at the file of a session, without a model call and without starting pi. */
export const inspectSession = (
  session: Checkpoint.ProviderSession,
  cwd: string,
  sessions: string
): Effect.Effect<Provider.SessionInspection> =>
  filesOf(sessions, session.id).pipe(
    Effect.map((files) => {
      const file = sessionFileAmong(files, cwd)
      return file === null
        ? absent(`no file of session ${session.id} under ${sessions}`)
        : judge(file.seen, file.path, session.id)
    }),
    Effect.catchAll((error) => Effect.succeed(unknown(error.message)))
  )

/** What the rows amount to. */
export const judge = (seen: Seen, path: string, id: string): Provider.SessionInspection => {
  if (seen.rows === 0) return absent(`${path} is empty`, path)
  if (seen.id !== id) return damaged("the session file has no readable header: pi cannot open it", path, seen)
  if (seen.broken !== null) {
    return damaged(
      `line ${seen.broken} of the session file is broken: pi would go on without all that came before it`,
      path,
      seen
    )
  }
  return present(path, { ...seen, promptMissing: seen.prompts === 0 })
}

/**
 * Ends the last line of a file that a crash cut. 0.73.1 would write on in the middle of that line, and at the resume after
 * the next the whole conversation before it would be gone, without a word.
 */
export const endLastLine = (path: string): Effect.Effect<void, Error> =>
  Effect.tryPromise({
    try: async () => {
      const { size } = await stat(path)
      if (size === 0) return
      const file = await open(path, "r")
      try {
        const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
        if (buffer[0] === 10) return
      } finally {
        await file.close()
      }
      await appendFile(path, "\n")
    },
    catch: (cause) =>
      new Error(`${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
