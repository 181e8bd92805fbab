/**
 * What opencode's own storage holds of a session. The database is asked through `opencode db`, the program's own tool:
 * it knows its tables, and it takes about a second. It is asked only where the database is there, so nothing is started
 * (and nothing created) on a machine on which opencode was never used.
 */
import { stat } from "node:fs/promises"
import type { Checkpoint, Provider } from "@alluka/core"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { absent, damaged, notLookedInto, present, unknown } from "../inspection.js"
import { count, list, moment, object, text } from "../json.js"
import { isMissing } from "../process/errno.js"
import type { Ask, Env } from "../processProvider.js"
import { envFor, location } from "./location.js"

/** What the database says of a session. */
export interface StoredSession {
  readonly directory: string
  readonly prompts: number
  /** Rows that are no JSON: opencode fails on them, or goes on without them. */
  readonly broken: number
  readonly lastRowAt: Checkpoint.Time | null
}

/** A look that failed: nothing is known. */
export class LookUpFailed extends Data.TaggedError("LookUpFailed")<{
  readonly operation: string
  readonly message: string
}> {}

/** Whether a database is there. */
export const databaseExists = (path: string): Effect.Effect<boolean, LookUpFailed> =>
  Effect.tryPromise({
    try: () =>
      stat(path).then(
        (found) => found.isFile(),
        (cause) => {
          if (isMissing(cause)) return false
          throw cause
        }
      ),
    catch: (cause) =>
      new LookUpFailed({
        operation: "databaseExists",
        message: notLookedInto(`opencode's database ${path}`, cause).message
      })
  })

/** Whether a text can be an id of opencode's: it refuses ids that do not begin with `ses`. */
export const isSessionId = (text: string): boolean => /^ses[\w-]{1,128}$/.test(text)

/** `id` holds nothing but letters, digits, `_` and `-` here: see `isSessionId`. */
const query = (id: string): string =>
  `select s.directory,
 (select count(*) from message m where m.session_id = s.id
 and case when json_valid(m.data) then json_extract(m.data, '$.role') = 'user' end) as prompts,
 (select count(*) from message m where m.session_id = s.id and not json_valid(m.data)) +
 (select count(*) from part p where p.session_id = s.id and not json_valid(p.data)) as broken,
 (select max(p.time_updated) from part p where p.session_id = s.id) as last
 from session s where s.id = '${id}'`.replaceAll("\n", "")

/** How long a look waits. The program alone takes a second to start, and much longer where the machine is busy. */
const lookMs = 10_000

/** Looks a session up, within `timeoutMs`; none: the database is there and does not have it. */
export const lookUp = (
  id: string,
  ask: Ask,
  { env, timeoutMs }: { readonly env: Env; readonly timeoutMs: number }
): Effect.Effect<Option.Option<StoredSession>, LookUpFailed> =>
  Effect.gen(function* () {
    const failed = (message: string) => new LookUpFailed({ operation: "lookUp", message })
    if (!isSessionId(id)) return yield* failed(`"${id}" is no session id of opencode`)
    const answer = yield* ask(["db", query(id), "--format", "json", "--pure"], { env, timeoutMs })
    if (Option.isNone(answer)) return yield* failed("opencode did not answer when asked for the session")
    const { code, stderr, stdout } = answer.value
    const rows = code === 0 ? parseRows(stdout) : null
    if (rows === null) return yield* failed(`opencode could not look the session up: ${lastLine(stderr || stdout)}`)
    return Option.fromNullable(rows[0])
  })

/** The rows that `opencode db` printed; `null` if that is something else. */
export const parseRows = (stdout: string): ReadonlyArray<StoredSession> | null => {
  try {
    const value: unknown = JSON.parse(stdout)
    if (!Array.isArray(value)) return null
    return list(value)
      .map(object)
      .flatMap((row) => {
        const directory = text(row.directory)
        return directory === null
          ? []
          : [{ directory, prompts: count(row.prompts), broken: count(row.broken), lastRowAt: moment(row.last) }]
      })
  } catch {
    return null
  }
}

const lastLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "") ?? "it said nothing"

/** Looks at a session without a model call. */
export const inspectSession = (
  session: Checkpoint.ProviderSession,
  env: Env,
  ask: Ask
): Effect.Effect<Provider.SessionInspection> =>
  Effect.gen(function* () {
    const path = session.location ?? location(env)
    // No storage at all proves nothing: it may simply lie elsewhere.
    if (!(yield* databaseExists(path))) return unknown(`opencode's database ${path} is not there`)
    const found = yield* lookUp(session.id, ask, { env: envFor(session.location, env), timeoutMs: lookMs })
    return judge(found, session.id, path)
  }).pipe(Effect.catchAll((error) => Effect.succeed(unknown(error.message))))

/** What the look-up amounts to. */
export const judge = (found: Option.Option<StoredSession>, id: string, path: string): Provider.SessionInspection =>
  Option.match(found, {
    onNone: () => absent(`no session ${id} in ${path}`),
    onSome: ({ broken, lastRowAt, prompts }) =>
      broken > 0
        ? damaged(`${broken} of the rows of the conversation cannot be read: opencode cannot go on with it`, path, {
            lastRowAt,
            tailBroken: false,
            brokenLines: broken
          })
        : present(path, { lastRowAt, tailBroken: false, promptMissing: prompts === 0 })
  })
