/** Conversations that were held outside of Alluka: how many could be brought in, and bringing them in. */
import { ImportConversations, Provider, Redactor, Scope, type State } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Message } from "../model/Message.js"
import type { ImportableCount } from "../model/Model.js"
import type { MonitorServices } from "./services.js"

/** What the runs of conversations are brought in as. */
export interface ImportAs {
  readonly agent: string
  readonly permission: State.Permission
}

/** Counting reads whole conversations, of which there may be many: it gives up after this, ms. */
const lookForMs = 20_000

const look = (provider: string | null, as: ImportAs, dryRun: boolean) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    ImportConversations.importConversations(Scope.operator, {
      ...as,
      provider,
      folder: null,
      since: now - ImportConversations.usualAgeMs,
      dryRun
    })
  )

/** Counts those that could be brought in, one provider after the other, and tells after each. Changes nothing. */
export const countImportable = (
  as: ImportAs,
  dispatch: (message: Message) => void
): Effect.Effect<void, never, MonitorServices> =>
  Effect.gen(function* () {
    const { all } = yield* Provider.Providers
    const counts: Array<ImportableCount> = []
    const counting = Effect.forEach(
      all.filter(({ conversations }) => conversations !== undefined),
      ({ id }) =>
        Effect.map(Effect.option(Effect.sandbox(look(id, as, true))), (found) => {
          const count = Option.getOrElse(found, () => []).filter(({ left }) => left === null).length
          if (count > 0) counts.push({ provider: id, count })
          dispatch({ _tag: "ImportableCounted", counts: [...counts], progress: "looking" })
        }),
      { discard: true }
    )
    const done = yield* Effect.timeoutOption(counting, lookForMs)
    dispatch({ _tag: "ImportableCounted", counts, progress: Option.isSome(done) ? "done" : "gaveUp" })
  })

/** Brings them in. */
export const importAll = (as: ImportAs, twin: string): Effect.Effect<Message, never, MonitorServices> =>
  Effect.gen(function* () {
    const { redact } = yield* Redactor.Redactor
    return yield* look(null, as, false).pipe(
      Effect.map((found): Message => {
        const count = found.filter(({ checkpoint }) => checkpoint !== null).length
        const what =
          count === 0
            ? "No conversation stopped in the middle"
            : `Brought in ${count} conversation${count === 1 ? "" : "s"}`
        return { _tag: "Told", text: `${what} · same as: ${twin}`, tone: count === 0 ? "warn" : "good" }
      }),
      Effect.catchAll((failure) =>
        Effect.succeed<Message>({
          _tag: "Told",
          text: `Nothing more was brought in: ${redact(failure.message)}`,
          tone: "bad"
        })
      )
    )
  })
