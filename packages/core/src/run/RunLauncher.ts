/** The port through which a run is started that this process does not own: the monitor's and `--detach`'s way. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Time } from "../checkpoint/Checkpoint.js"
import type { CheckpointId } from "../checkpoint/ids.js"
import type { Decision } from "../resume/Decision.js"

/** What the launched process said before it went on alone. */
export type Launched = Data.TaggedEnum<{
  Started: { readonly id: CheckpointId }
  Refused: { readonly decision: Decision }
  /** It goes on with this run when its usage limit resets; nothing runs until then. */
  Waiting: { readonly id: CheckpointId; readonly until: Time }
}>
export const Launched = Data.taggedEnum<Launched>()

/** Nothing was started. */
export class LaunchFailed extends Data.TaggedError("LaunchFailed")<{
  readonly operation: string
  readonly code: string
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

export class RunLauncher extends Context.Tag("@alluka/core/RunLauncher")<
  RunLauncher,
  {
    /**
     * Starts `alluka` with these arguments (a `run`, `resume` or `task run` command line without `--detach`) in its own
     * session. Of a task run the first run that it started is answered.
     */
    readonly launch: (argv: ReadonlyArray<string>, prompt: string | null) => Effect.Effect<Launched, LaunchFailed>
  }
>() {}
