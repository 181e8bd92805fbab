/** A problem as a failure, for what the command line itself refuses. */
import * as Data from "effect/Data"
import type { Problem } from "./errors.js"

export class Refusal extends Data.TaggedError("Refusal")<{ readonly problem: Problem }> {
  override get message(): string {
    return this.problem.message
  }
}
