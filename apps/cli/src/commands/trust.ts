/** `alluka trust [DIR]`: lets a project's own configuration count, as it is now. */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { withApp } from "../app.js"
import type { Command } from "../Command.js"
import { tellFaults } from "../config/fault.js"
import { parseSource } from "../config/load.js"
import { merge } from "../config/merge.js"
import { findProjectFile, setTrust, trustFileOf } from "../config/trust.js"
import { problem } from "../errors.js"
import { block, indented } from "../output/human/safe.js"
import { Refusal } from "../Refusal.js"
import { confirmed } from "../tidy.js"

export const trust: Command = (invocation, io) =>
  withApp(invocation, io, { open: "nothing" }, ({ output, paths }) =>
    Effect.gen(function* () {
      const folder = resolve(io.cwd, invocation.args[0] ?? ".")
      const file = findProjectFile(folder)
      if (file === null) {
        return yield* new Refusal({
          problem: problem(3, "project_config_not_found", `there is no .alluka/config.json in ${folder} or above it`, {
            hints: [{ argv: ["help", "environment"], why: "says what can be set elsewhere" }]
          })
        })
      }
      if (paths.userConfig === null) {
        return yield* new Refusal({
          problem: problem(1, "no_home", "there is no home folder to keep the trust in", { hints: ["set HOME"] })
        })
      }
      const revoke = invocation.options.flag("revoke")
      if (!revoke) {
        // A broken file that is trusted would end every command here.
        const read = yield* Effect.promise(() => parseSource("project", file.path, file.text))
        if ("code" in read) return yield* new Refusal({ problem: read })
        const { faults } = merge([read], {})
        yield* Effect.promise(async () => {
          await output.words(`${file.path}\n${indented(block(file.text), "  ")}`)
          for (const fault of await tellFaults(faults)) await output.note(`alluka: ${fault}`)
        })
        if (!(yield* confirmed("Trust it? It may name programs that are run here.", output))) return 5
      }
      const trustFile = trustFileOf(paths.userConfig)
      yield* Effect.try({
        try: () => setTrust(file.path, revoke ? null : file.hash, trustFile),
        catch: (cause) =>
          new Refusal({
            problem: problem(
              1,
              "trust_not_saved",
              `${trustFile} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`
            )
          })
      })
      yield* Effect.promise(() =>
        output.text(revoke ? `${file.path} is not trusted any more.` : `${file.path} is trusted until it changes.`)
      )
      return 0
    })
  )
