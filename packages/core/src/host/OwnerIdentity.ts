/** The port to "who owns a run, and is that process alive". Death is told only on proof; time alone decides nothing. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Owner } from "../checkpoint/Checkpoint.js"

/** Everything about an owner that a prober may need. */
export interface OwnerRecord extends Owner {
  readonly bootId: string | null
  readonly pidNamespace: string | null
}

export type Liveness = Data.TaggedEnum<{
  // biome-ignore lint/complexity/noBannedTypes: a tagged case without fields
  Alive: {}
  /** Proven dead. `host_restarted`: another boot of the same machine. */
  Dead: { readonly cause: "owner_lost" | "host_restarted" }
  /** No proof either way: shown, never taken silently. */
  Unknown: { readonly why: string }
}>
export const Liveness = Data.taggedEnum<Liveness>()

/** This process could not take its owner lock, so it may own no run. */
export class OwnerLockFailed extends Data.TaggedError("OwnerLockFailed")<{
  readonly operation: string
  readonly path: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `the owner lock ${this.path} could not be taken: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

export class OwnerIdentity extends Context.Tag("@alluka/core/OwnerIdentity")<
  OwnerIdentity,
  {
    /** This process as an owner. The first call takes the lock, which is then held for the life of the process. */
    readonly self: Effect.Effect<OwnerRecord, OwnerLockFailed>
    readonly probe: (owner: OwnerRecord) => Effect.Effect<Liveness>
  }
>() {}
