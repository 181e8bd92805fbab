/** `alluka providers show ID`: everything that is known of one provider without a run. */
import { Documents } from "@alluka/core"
import * as Effect from "effect/Effect"
import { withApp } from "../app.js"
import type { Command } from "../Command.js"
import { lookAt, namedProvider } from "../foundProvider.js"
import { renderProvider } from "../output/human/providers.js"

export const providersShow: Command = (invocation, io) =>
  withApp(invocation, io, { open: "nothing" }, ({ output }) =>
    Effect.gen(function* () {
      const found = yield* lookAt(yield* namedProvider(invocation.args[0] ?? ""), { auth: true })
      yield* Effect.promise(() =>
        output.json ? output.document(Documents.providerDocument(found)) : output.text(renderProvider(found, output))
      )
      return 0
    })
  )
