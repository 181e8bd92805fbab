/**
 * What kimi's own storage holds of a session: a folder `sessions/<folder of the run>/<id>` with `state.json` and the
 * conversation in `agents/main/wire.jsonl`. Observed on 2.1.0, which goes on over a broken line without a word, and without
 * everything after it.
 */
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Checkpoint, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import { absent, type Breakage, breakAt, damaged, notLookedInto, present, unbroken, unknown } from "../inspection.js"
import { list, moment, object, text } from "../json.js"
import { isMissing } from "../process/errno.js"
import { foldRows, type Row } from "../process/jsonLines.js"

/** Whether a text can be an id of kimi's. */
export const isSessionId = (text: string): boolean => /^session_[\w-]{1,128}$/.test(text)

/** What a walk over the rows has seen. */
export interface Seen extends Breakage {
  readonly rows: number
  readonly prompts: ReadonlyArray<string>
  readonly lastRowAt: Checkpoint.Time | null
}

export const fresh: Seen = { rows: 0, prompts: [], ...unbroken, lastRowAt: null }

/** Takes one row in. */
export const look = (seen: Seen, row: Row): Seen => {
  const { value } = row
  const rows = seen.rows + 1
  if (value === null) return breakAt({ ...seen, rows }, row)
  const prompt = value.type === "turn.prompt" ? [inputText(value.input)] : []
  return { ...seen, rows, prompts: [...seen.prompts, ...prompt], lastRowAt: moment(value.time) ?? seen.lastRowAt }
}

const inputText = (input: unknown): string =>
  text(input) ??
  list(input)
    .map((part) => text(object(part).text) ?? "")
    .join("")

/** The conversation of a session in its folder. */
export const wireOf = (folder: string): string => join(folder, "agents", "main", "wire.jsonl")

/** The folder of a session; none if it is not there. Fails where there is no storage at all, which proves nothing. */
export const folderOf = (home: string, id: string): Effect.Effect<string | null, Error> => {
  const root = join(home, "sessions")
  return Effect.tryPromise({
    try: async () => {
      for (const folder of await readdir(root)) {
        const path = join(root, folder, id)
        const info = await stat(path).catch(() => null)
        if (info?.isDirectory() === true) return path
      }
      return null
    },
    catch: (cause) => notLookedInto(`kimi's storage ${root}`, cause)
  })
}

/** Looks at the files of a session, without a model call and without starting kimi. */
export const inspectSession = (
  session: Checkpoint.ProviderSession,
  home: string
): Effect.Effect<Provider.SessionInspection> =>
  Effect.gen(function* () {
    const folder = yield* folderOf(home, session.id)
    if (folder === null) return absent(`no session ${session.id} under ${home}`)
    const wire = wireOf(folder)
    // Without it kimi 2.1.0 opens the session all the same, and goes on with an empty conversation.
    const gone = Effect.succeed(absent(`${folder} holds no conversation`, folder))
    return yield* foldRows(wire, fresh, look).pipe(
      Effect.map((seen) => judge(seen, wire)),
      Effect.catchIf(
        ({ cause }) => isMissing(cause),
        () => gone
      )
    )
  }).pipe(Effect.catchAll((error) => Effect.succeed(unknown(error.message))))

/** What the rows amount to. */
export const judge = (seen: Seen, path: string): Provider.SessionInspection => {
  if (seen.rows === 0) return absent(`${path} is empty`, path)
  if (seen.broken !== null) {
    return damaged(
      `line ${seen.broken} of the session file is broken: kimi would go on without that part and all that follows`,
      path,
      seen
    )
  }
  return present(path, { ...seen, promptMissing: seen.prompts.length === 0 })
}
