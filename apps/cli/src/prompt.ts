/** The text for the agent: an argument, `-p`, or stdin where `-` says so. */
import { text as readAll } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import { usage } from "./errors.js"
import { Refusal } from "./Refusal.js"

export interface PromptFacts {
  readonly argument: string | null
  readonly flag: string | null
}

/**
 * The text given, or `null` where none was. stdin is read only where `-` stands for the text: a pipe that nobody closes
 * must not hold a run up that never asked for it.
 */
export const promptText = ({ argument, flag }: PromptFacts): Effect.Effect<string | null, Refusal> =>
  Effect.gen(function* () {
    if (argument !== null && flag !== null) {
      return yield* new Refusal({ problem: usage("the text is given twice: as an argument and with -p") })
    }
    const given = argument ?? flag
    if (given !== "-") return given
    return yield* Effect.tryPromise({
      try: () => readAll(process.stdin),
      catch: (cause) =>
        new Refusal({
          problem: usage(`stdin cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
        })
    })
  })
