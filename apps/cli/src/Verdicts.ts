/** What a resume of a run would answer, as far as its record alone tells: for every row of a list. */
import type { Checkpoint, Decision } from "@alluka/core"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class Verdicts extends Context.Tag("alluka/Verdicts")<
  Verdicts,
  { readonly of: (checkpoint: Checkpoint.Checkpoint) => Effect.Effect<Decision.Decision> }
>() {}
