/**
 * What goes before an `opencode run`. A new session is made ahead of it, by `opencode import` of an empty one under an id
 * of ours: the run itself tells its id only with the first words of the model, and what dies before them could not be
 * found again. A session that is gone on with is looked up first, since opencode hangs in any folder but its own.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Provider, RunEvent } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Ask, type Env, NotPrepared, type Prepared } from "../processProvider.js"
import { uuidFor } from "../sessionIds.js"
import { location } from "./location.js"
import { databaseExists, lookUp } from "./session.js"

/** How long the making of a session is waited for, and a look before a resume; the latter spares us a run that hangs. */
const importMs = 15_000
const lookMs = 20_000

/** What `run` itself writes into a session that it makes: nobody is there to answer. */
const headless = ["question", "plan_enter", "plan_exit"].map((permission) => ({
  permission,
  pattern: "*",
  action: "deny"
}))

/** The file that `opencode import` reads. The title has the form that opencode replaces by one of its own. */
export const emptySession = (id: string, cwd: string, now: number): string =>
  JSON.stringify({
    info: {
      id,
      slug: id,
      projectID: "global",
      directory: cwd,
      title: `New session - ${new Date(now).toISOString()}`,
      version: "1.18.33",
      time: { created: now, updated: now },
      permission: headless
    },
    messages: []
  })

/** The id of the session that is made for a checkpoint. */
export const sessionIdOf = (checkpointId: string): string => `ses_${uuidFor(checkpointId).replaceAll("-", "")}`

/** What is done before a start; see above. */
export const prepare = (
  request: Provider.StartRequest,
  machine: { readonly env: Env; readonly ask: Ask }
): Effect.Effect<Prepared, NotPrepared> => {
  const { conversation } = request
  return conversation._tag === "New"
    ? madeAhead(request, machine)
    : Effect.as(inItsFolder(conversation._tag === "Fork" ? conversation.from : conversation.id, request, machine), {
        request,
        beside: Stream.empty
      })
}

/** Makes the session, where opencode has a database already; if it cannot, the run makes its own and names it later. */
const madeAhead = (
  request: Provider.StartRequest,
  { ask, env }: { readonly env: Env; readonly ask: Ask }
): Effect.Effect<Prepared> =>
  Effect.gen(function* () {
    const unchanged: Prepared = { request, beside: Stream.empty }
    const database = location(env)
    if (!(yield* databaseExists(database).pipe(Effect.orElseSucceed(() => false)))) return unchanged
    const id = sessionIdOf(request.checkpointId)
    const answer = yield* imported(emptySession(id, request.cwd, yield* Clock.currentTimeMillis), ask)
    const made = Option.exists(answer, ({ code, stdout }) => code === 0 && stdout.includes(`Imported session: ${id}`))
    if (!made) return unchanged
    return {
      request: { ...request, conversation: Provider.Conversation.New({ id }) },
      beside: Stream.make(RunEvent.RunEvent.SessionNamed({ id, location: database, confirms: false }))
    }
  })

/** What `opencode import` answers to a session; it takes a file, which is gone afterwards. */
const imported = (session: string, ask: Ask) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.tryPromise(() => mkdtemp(join(tmpdir(), "alluka-opencode-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    )
    const file = join(folder, "session.json")
    yield* Effect.tryPromise(() => writeFile(file, session, { flag: "wx", mode: 0o600 }))
    return yield* ask(["import", file, "--pure"], { timeoutMs: importMs })
  }).pipe(Effect.scoped, Effect.orElseSucceed(Option.none))

/** Refuses a start in another folder than the session's; a look-up that fails leaves the answer to opencode. */
const inItsFolder = (
  id: string,
  { cwd }: Provider.StartRequest,
  { ask, env }: { readonly env: Env; readonly ask: Ask }
): Effect.Effect<void, NotPrepared> =>
  Effect.gen(function* () {
    if (!(yield* databaseExists(location(env)))) return
    const found = yield* lookUp(id, ask, { env: {}, timeoutMs: lookMs })
    if (Option.isNone(found) || found.value.directory === cwd) return
    return yield* new NotPrepared({
      operation: "look the session up",
      message: `the conversation belongs to ${found.value.directory}; opencode would hang without a word in ${cwd}. Resume it in its own folder, or start fresh`
    })
  }).pipe(Effect.catchTag("LookUpFailed", () => Effect.void))
