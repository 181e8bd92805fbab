/**
 * Finds runs whose owner is dead and ends them truly. Death is told only on proof (`OwnerIdentity.probe`); where the end
 * cannot be written (a preview, a read-only or a locked store), the truth is told from memory.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import { CheckpointStore, type DeadOwner, type StoreFailure } from "../checkpoint/CheckpointStore.js"
import type { CheckpointId, OwnerId } from "../checkpoint/ids.js"
import { Liveness, OwnerIdentity } from "../host/OwnerIdentity.js"
import { afterDeath, type DeathCause } from "./liveness.js"

export interface Reconciled {
  /** Checkpoints that were ended by this call. */
  readonly ended: ReadonlyArray<CheckpointId>
  /** Owners that can be shown neither alive nor dead; their runs stay as they are. */
  readonly unknown: ReadonlyArray<{
    readonly owner: OwnerId
    readonly pid: number
    readonly host: string
    readonly why: string
  }>
  /** Why the ends could not be written, if they could not: they are told from memory meanwhile. */
  readonly unsaved: StoreFailure | null
}

export class Recovery extends Context.Tag("@alluka/core/Recovery")<
  Recovery,
  {
    /** Probes the owner of every running checkpoint once and stores the end of those that lost theirs. Idempotent. */
    readonly reconcile: Effect.Effect<Reconciled, StoreFailure>
    /** The same without writing: what `correct` then tells. For previews. */
    readonly inspect: Effect.Effect<Reconciled, StoreFailure>
    /** The checkpoint as it truly is: a running one whose owner is known to be dead is shown ended. */
    readonly correct: (checkpoint: Checkpoint) => Effect.Effect<Checkpoint>
    /** The same as `ownerOf` for several checkpoints: each owner is probed once. */
    readonly ownersOf: (
      checkpoints: ReadonlyArray<Checkpoint>
    ) => Effect.Effect<ReadonlyMap<OwnerId, Liveness>, StoreFailure>
    /** Whether a running checkpoint's owner is alive, as far as can be proven now. */
    readonly ownerOf: (checkpoint: Checkpoint) => Effect.Effect<Liveness, StoreFailure>
    /** Takes a person's word that the owner of a running checkpoint, of which nothing can be proven, is dead. */
    readonly assumeDead: (checkpoint: Checkpoint) => Effect.Effect<Reconciled, StoreFailure>
  }
>() {}

/** How long an opening command waits for a locked store before it tells the truth from memory, ms. */
const waitMs = 500

/** An owner of which nothing runs any more cannot hold a run. */
const notRunning = Liveness.Dead({ cause: "owner_lost" })

export const make = Effect.gen(function* () {
  const store = yield* CheckpointStore
  const owners = yield* OwnerIdentity
  const known = yield* Ref.make<ReadonlyMap<OwnerId, { readonly cause: DeathCause; readonly at: number }>>(new Map())

  const probeAll = Effect.gen(function* () {
    const running = yield* store.runningOwners
    return yield* Effect.forEach(running, ({ owner }) =>
      Effect.map(owners.probe(owner), (liveness) => ({ owner, liveness }))
    )
  })

  const remember = (dead: ReadonlyArray<DeadOwner>, at: number) =>
    Ref.update(known, (before) => new Map([...before, ...dead.map(({ id, cause }) => [id, { cause, at }] as const)]))

  const bury = (dead: ReadonlyArray<DeadOwner>, write: boolean) =>
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      yield* remember(dead, at)
      if (!write || dead.length === 0) return { ended: [], unsaved: null }
      return yield* store.reconcile(dead, at, waitMs).pipe(
        Effect.map((ended) => ({ ended, unsaved: null })),
        Effect.catchAll((unsaved) => Effect.succeed({ ended: [], unsaved }))
      )
    })

  const look = (write: boolean) =>
    Effect.gen(function* () {
      const probed = yield* probeAll
      const dead = probed.flatMap(({ owner, liveness }) =>
        liveness._tag === "Dead" ? [{ id: owner.id, cause: liveness.cause }] : []
      )
      const unknown = probed.flatMap(({ owner, liveness }) =>
        liveness._tag === "Unknown" ? [{ owner: owner.id, pid: owner.pid, host: owner.host, why: liveness.why }] : []
      )
      return { ...(yield* bury(dead, write)), unknown }
    })

  const ownersOf: Recovery["Type"]["ownersOf"] = (checkpoints) =>
    Effect.gen(function* () {
      if (checkpoints.length === 0) return new Map<OwnerId, Liveness>()
      const deaths = yield* Ref.get(known)
      const running = new Map((yield* store.runningOwners).map(({ owner }) => [owner.id, owner]))
      const ids = [...new Set(checkpoints.map(({ owner }) => owner.id))]
      const found = yield* Effect.forEach(ids, (id) => {
        const death = deaths.get(id)
        if (death !== undefined) return Effect.succeed(Liveness.Dead({ cause: death.cause }))
        const owner = running.get(id)
        return owner === undefined ? Effect.succeed(notRunning) : owners.probe(owner)
      })
      return new Map(ids.map((id, index) => [id, found[index] ?? notRunning]))
    })

  return Recovery.of({
    reconcile: look(true),
    inspect: look(false),
    correct: (checkpoint) =>
      checkpoint.state !== "running"
        ? Effect.succeed(checkpoint)
        : Effect.map(Ref.get(known), (dead) => {
            const death = dead.get(checkpoint.owner.id)
            return death === undefined ? checkpoint : afterDeath(checkpoint, death.cause, death.at)
          }),
    ownersOf,
    ownerOf: (checkpoint) =>
      Effect.map(ownersOf([checkpoint]), (found) => found.get(checkpoint.owner.id) ?? notRunning),
    assumeDead: (checkpoint) =>
      Effect.map(bury([{ id: checkpoint.owner.id, cause: "owner_lost" }], true), (result) => ({
        ...result,
        unknown: []
      }))
  })
})

export const layer: Layer.Layer<Recovery, never, CheckpointStore | OwnerIdentity> = Layer.effect(Recovery, make)
