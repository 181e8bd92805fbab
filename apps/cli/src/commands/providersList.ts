/** `alluka providers list`: what is installed, and what each can continue. */
import { Documents, Provider } from "@alluka/core"
import * as Effect from "effect/Effect"
import { withApp } from "../app.js"
import type { Command } from "../Command.js"
import { lookAt } from "../foundProvider.js"
import { renderProviders } from "../output/human/providers.js"

export const providersList: Command = (invocation, io) =>
  withApp(invocation, io, { open: "nothing" }, ({ output }) =>
    Effect.gen(function* () {
      const providers = yield* Provider.Providers
      const found = yield* Effect.forEach(providers.all, (provider) => lookAt(provider, { auth: false }), {
        concurrency: "unbounded"
      })
      yield* Effect.promise(() =>
        output.json
          ? output.document(Documents.providerListDocument(found))
          : output.text(renderProviders(found, output))
      )
      return 0
    })
  )
