/** What the demo agent's own storage holds of a session. */
import type { Checkpoint, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import { absent, damaged, present, unknown } from "../inspection.js"
import { moment } from "../json.js"
import { readSession, sessionPath } from "./sessionFile.js"
import { steps } from "./survey.js"

/** Looks at a session's file; `sessions`: the folder in use today. */
export const inspectSession = (
  session: Checkpoint.ProviderSession,
  sessions: string
): Effect.Effect<Provider.SessionInspection> => {
  const folder = session.location ?? sessions
  const path = sessionPath(folder, session.id)
  return readSession(folder, session.id).pipe(
    Effect.map(({ done, updatedAt }) =>
      present(path, {
        lastRowAt: moment(updatedAt),
        tailBroken: false,
        detail: `${done.length} of ${steps.length} steps of the survey are done`
      })
    ),
    Effect.catchTags({
      NoSuchSession: (error) => Effect.succeed(absent(error.message)),
      SessionDamaged: (error) => Effect.succeed(damaged(error.message, path, { lastRowAt: null, tailBroken: false })),
      SessionFileFailed: (error) => Effect.succeed(unknown(error.message, path))
    })
  )
}
