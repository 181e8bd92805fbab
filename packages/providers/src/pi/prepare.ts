/** What goes before a `pi` run that goes on with a session: the right folder, and a file that can be written on. */
import type { Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Env, NotPrepared, type Prepared } from "../processProvider.js"
import { location } from "./location.js"
import { endLastLine, filesOf, sessionFileAmong } from "./session.js"

/** What is done before a start. A storage that cannot be looked into leaves the answer to pi. */
export const prepare = (
  request: Provider.StartRequest,
  { env }: { readonly env: Env }
): Effect.Effect<Prepared, NotPrepared> =>
  Effect.gen(function* () {
    const { conversation, cwd } = request
    const unchanged: Prepared = { request, beside: Stream.empty }
    if (conversation._tag === "New") return unchanged
    const id = conversation._tag === "Fork" ? conversation.from : conversation.id
    const files = yield* filesOf(location(env), id).pipe(Effect.orElseSucceed(() => []))
    const file = sessionFileAmong(files, cwd)
    if (file === null) return unchanged
    // A copy is made into the folder of the run, wherever the session belongs; anything else pi asks a question about, and
    // ends with 0 because nobody answers.
    if (conversation._tag === "Continue" && file.seen.cwd !== null && file.seen.cwd !== cwd) {
      return yield* new NotPrepared({
        operation: "look the session up",
        message: `the conversation belongs to ${file.seen.cwd}; pi does not go on with it in ${cwd}. Resume it in its own folder, or go on in a copy with --fork`
      })
    }
    yield* endLastLine(file.path).pipe(
      Effect.mapError(({ message }) => new NotPrepared({ operation: "end the last line of the session file", message }))
    )
    return unchanged
  })
