/** What the examples share: core's services over a store in a folder, with the providers that an example brings. */
import { type CheckpointStore, Ids, Provider, Redactor, Services } from "@alluka/core"
import * as Store from "@alluka/store"
import * as Arr from "effect/Array"
import * as Layer from "effect/Layer"

/** Where the examples keep their runs: `ALLUKA_HOME`, else a folder beside the caller. */
export const home = process.env.ALLUKA_HOME ?? ".alluka-example"

/** These providers and no others. */
export const only = (...all: ReadonlyArray<Provider.Provider>): Layer.Layer<Provider.Providers> =>
  Layer.succeed(Provider.Providers, { all, find: (id) => Arr.findFirst(all, (each) => each.id === id) })

/** What the services stand on besides providers. */
export type Ground = Store.StoreServices | Ids.Ids | Redactor.Redactor

/** The machine and the store. */
export const ground: Layer.Layer<Ground, CheckpointStore.StoreFailure> = Store.layer({ home }).pipe(
  Layer.provideMerge(Layer.merge(Ids.layer, Redactor.layer(process.env)))
)

/** Everything, with these providers. */
export const services = (
  providers: Layer.Layer<Provider.Providers, never, Ground>
): Layer.Layer<Services.Services | Provider.Providers | Ground, CheckpointStore.StoreFailure> =>
  Services.layer().pipe(Layer.provideMerge(providers), Layer.provideMerge(ground))
