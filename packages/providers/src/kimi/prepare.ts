/** What goes before a `kimi` run: a copy of the session for a fork, a look at where a session belongs, and the index. */
import { Provider, RunEvent } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Ask, type Env, NotPrepared, type Prepared } from "../processProvider.js"
import { discovered, indexSize } from "./discover.js"
import { location } from "./location.js"

const forkMs = 30_000

/** What is done before a start. */
export const prepare = (
  request: Provider.StartRequest,
  { ask, env }: { readonly env: Env; readonly ask: Ask }
): Effect.Effect<Prepared, NotPrepared> => {
  const home = location(env)
  const { conversation } = request
  switch (conversation._tag) {
    case "New":
      return Effect.map(indexSize(home), (from) => ({ request, beside: discovered(home, from, request) }))
    case "Continue":
      return Effect.succeed({ request, beside: Stream.empty })
    case "Fork":
      return Effect.map(copyOf(conversation.from, ask), (id) => ({
        request: { ...request, conversation: Provider.Conversation.Fork({ ...conversation, id }) },
        beside: Stream.make(RunEvent.RunEvent.SessionNamed({ id, location: home, confirms: false }))
      }))
  }
}

/** Makes a copy of a session by kimi's own command; answers its id. */
const copyOf = (id: string, ask: Ask): Effect.Effect<string, NotPrepared> =>
  Effect.gen(function* () {
    const answer = yield* ask(["fork", id, "--yes"], { timeoutMs: forkMs })
    const copy = Option.match(answer, { onNone: () => null, onSome: ({ stdout }) => copiedId(stdout) })
    if (copy !== null) return copy
    const why = Option.match(answer, {
      onNone: () => "kimi did not answer",
      onSome: ({ stderr, stdout }) => `${stderr}${stdout}`.trim()
    })
    return yield* new NotPrepared({
      operation: "copy the session",
      message: `the session ${id} could not be copied: ${why}`
    })
  })

/** The id in what `kimi fork` prints, such as `Forked to session_1 ("Fork: ...") in 9ms`. */
export const copiedId = (stdout: string): string | null => /^Forked to (session_[\w-]+)/m.exec(stdout)?.[1] ?? null
