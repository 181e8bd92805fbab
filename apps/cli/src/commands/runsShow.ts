/** `alluka runs show ID`. */
import { Checkpoints, Documents, Redactor, Resume, Scope } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { withApp } from "../app.js"
import type { Command } from "../Command.js"
import { usage } from "../errors.js"
import { findRun } from "../ids.js"
import { fieldsOf, pickFields } from "../output/fields.js"
import { renderShow } from "../output/human/show.js"
import { Refusal } from "../Refusal.js"

/** Events read of one run. */
const most = 10_000

export const runsShow: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const checkpoints = yield* Checkpoints.Checkpoints
      const resume = yield* Resume.Resume
      const { redact } = yield* Redactor.Redactor
      const checkpoint = yield* findRun(invocation.args[0] ?? "", output)
      // For a program what the record says, as in a list; a person is told what would happen now.
      const decision = yield* output.json || checkpoint.state === "running"
        ? resume.fromRecord(checkpoint)
        : resume.preview(Scope.operator, checkpoint.id)
      const allEvents = invocation.options.flag("events")
      if (output.json) {
        const document = Documents.checkpointDocument(checkpoint, decision)
        const fields = fieldsOf(invocation.options)
        const picked = fields === null ? { items: [document] } : pickFields([document], fields)
        if ("unknown" in picked) {
          return yield* new Refusal({
            problem: usage(`a run has no field "${picked.unknown}"; it has ${picked.known.join(", ")}`, [
              { argv: ["schema", "checkpoint"], why: "describes them" }
            ])
          })
        }
        for (const item of picked.items) yield* Effect.promise(() => output.document(item))
        if (allEvents) {
          const events = yield* checkpoints.timeline(Scope.operator, checkpoint.id, 0, most)
          yield* Effect.promise(() => output.document(Documents.timelineDocument(checkpoint.id, events)))
        }
        return 0
      }
      const events = yield* checkpoints.timeline(Scope.operator, checkpoint.id, 0, most)
      const lineage = yield* checkpoints.lineage(Scope.operator, checkpoint.id)
      const now = yield* Clock.currentTimeMillis
      const { ascii, command, paint } = output
      yield* Effect.promise(() =>
        output.text(
          renderShow({ checkpoint, decision, lineage, events, allEvents }, { ascii, command, now, paint, redact })
        )
      )
      return 0
    })
  )
