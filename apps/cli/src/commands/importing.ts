/** `alluka import`: conversations that were held outside of Alluka and stopped in the middle become checkpoints. */
import { Documents, ImportConversations, Provider, Scope, Workspaces } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { withApp } from "../app.js"
import type { Command } from "../Command.js"
import { permissionSetting, textSetting } from "../config/merge.js"
import { problem } from "../errors.js"
import { renderImported } from "../output/human/imported.js"
import { Refusal } from "../Refusal.js"

const canBeLookedInto = (id: string) =>
  Effect.map(Provider.Providers, ({ find }) => Option.exists(find(id), (found) => found.conversations !== undefined))

export const importing: Command = (invocation, io) =>
  withApp(invocation, io, { open: invocation.options.flag("dryRun") ? "inspect" : "reconcile" }, ({ config, output }) =>
    Effect.gen(function* () {
      const { options } = invocation
      const provider = options.text("provider")
      if (provider !== null && !(yield* canBeLookedInto(provider))) {
        return yield* new Refusal({
          problem: problem(2, "import_unsupported", `conversations of "${provider}" cannot be looked for`, {
            hints: [{ argv: ["import"], why: "looks into every storage that can be read" }]
          })
        })
      }
      const workspaces = yield* Workspaces.Workspaces
      const folder = options.flag("here") ? (yield* workspaces.resolve(io.cwd)).realPath : null
      const found = yield* ImportConversations.importConversations(Scope.operator, {
        provider,
        folder,
        since: options.number("since") ?? (yield* Clock.currentTimeMillis) - ImportConversations.usualAgeMs,
        agent: textSetting(config, "run.agent") ?? "default",
        permission: permissionSetting(config, "run.permission"),
        dryRun: options.flag("dryRun")
      })
      const document = Documents.importResultDocument(found, output.redact)
      yield* Effect.promise(() =>
        output.json ? output.document(document) : output.text(renderImported(document, output))
      )
      return 0
    })
  )
