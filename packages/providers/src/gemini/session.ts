/** What gemini's own storage holds of a session, and what our copy beside it does. */
import type { Checkpoint, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import { absent, damaged, present, unknown } from "../inspection.js"
import type { Env } from "../processProvider.js"
import { location } from "./location.js"
import { filesOf, type SessionFile, sessionFileAmong } from "./sessionFiles.js"

/** Looks at the file of a session, without starting gemini: its own `--list-sessions` calls a model and deletes files. */
export const inspectSession = (
  session: Checkpoint.ProviderSession,
  env: Env
): Effect.Effect<Provider.SessionInspection> => {
  const home = session.location ?? location(env)
  return filesOf(home, session.id).pipe(
    Effect.map(({ chats, kept }) => {
      const file = sessionFileAmong(chats)
      if (file !== null) return judge(file, null)
      const copy = sessionFileAmong(kept)
      if (copy !== null)
        return judge(copy, "gemini deleted the session file; the copy kept by Alluka is put back first")
      const stub = chats[0]
      return stub === undefined
        ? absent(`no session file of ${session.id} under ${home}`)
        : absent(`${stub.path} holds no conversation: gemini takes a failed first prompt back`, stub.path)
    }),
    Effect.catchAll((error) => Effect.succeed(unknown(error.message)))
  )
}

/** What the rows amount to. */
export const judge = ({ path, seen }: SessionFile, detail: string | null): Provider.SessionInspection => {
  if (seen.broken !== null) {
    return damaged(
      `line ${seen.broken} of the session file is broken: gemini would go on without that part`,
      path,
      seen
    )
  }
  return present(path, {
    ...seen,
    promptMissing: ![...seen.messages.values()].includes(true),
    ...(detail === null ? {} : { detail })
  })
}
