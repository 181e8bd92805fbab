/** `alluka backup FILE`: a copy of the store as it is at one moment, while runs go on. */
import { resolve } from "node:path"
import { Documents } from "@alluka/core"
import { StoreCare, StoreInfo } from "@alluka/store"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { withApp } from "../app.js"
import type { Command } from "../Command.js"
import { problem } from "../errors.js"
import { line } from "../output/human/safe.js"
import { Refusal } from "../Refusal.js"

export const backup: Command = (invocation, io) =>
  withApp(invocation, io, { open: "nothing" }, ({ output }) =>
    Effect.gen(function* () {
      const care = yield* StoreCare
      const { path } = yield* StoreInfo
      const madeAt = yield* Clock.currentTimeMillis
      const made = yield* Effect.catchTag(
        care.backUpTo(resolve(io.cwd, invocation.args[0] ?? "")),
        "BackupRefused",
        ({ message, why }) =>
          Effect.fail(new Refusal({ problem: problem(5, `backup_${why}`, message, { hints: ["name another file"] }) }))
      )
      yield* Effect.promise(() =>
        output.json
          ? output.document(Documents.backupResultDocument({ ...made, store: path, madeAt }))
          : output.text(
              [
                `${made.runs} runs are in ${line(made.file, 4096)} (${Math.ceil(made.bytes / 1024)} KiB, only you can read it).`,
                "It is the record; what agents printed (runs logs) is not in it. To go back to it, end every run and put",
                "it into an empty data folder as alluka.db."
              ].join("\n")
            )
      )
      return 0
    })
  )
