/** Sessions as people name them on the command line. */
import { Ids } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Effect from "effect/Effect"
import { problem } from "./errors.js"
import { Refusal } from "./Refusal.js"

/** The id of a session, with or without `ses_`. */
export const sessionIdOf = (text: string): Effect.Effect<Ids.SessionId, Refusal> => {
  const typed = text.trim().toLowerCase()
  const id = typed.startsWith("ses_") ? typed : `ses_${typed}`
  return Schema.is(Ids.SessionId)(id)
    ? Effect.succeed(id)
    : Effect.fail(
        new Refusal({
          problem: problem(3, "session_not_found", `"${text}" is no session id`, {
            hints: [{ argv: ["sessions", "list"], why: "lists them" }]
          })
        })
      )
}
