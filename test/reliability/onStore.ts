/** The product's own store in the test's process, opened and closed for one program. */
import { type CheckpointStore, Ids, type OwnerIdentity, Recovery } from "@alluka/core"
import { layer, type StoreCare, type StoreInfo } from "@alluka/store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export type StoreServices =
  | CheckpointStore.CheckpointStore
  | OwnerIdentity.OwnerIdentity
  | Recovery.Recovery
  | StoreCare
  | StoreInfo
  | Ids.Ids

export const onStore = <A, E>(home: string, program: Effect.Effect<A, E, StoreServices>): Promise<A> =>
  Effect.runPromise(
    Effect.provide(program, Recovery.layer.pipe(Layer.provideMerge(layer({ home })), Layer.provideMerge(Ids.layer)))
  )
