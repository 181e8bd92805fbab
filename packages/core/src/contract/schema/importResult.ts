/** The schema of what an import found. */
import * as Schema from "../../Schema.js"
import { head, IsoTime, Text, TextOrNull } from "./parts.js"

export const ImportOutcome = Schema.Literal(
  "imported",
  "would_import",
  "finished",
  "known",
  "in_use",
  "folder_missing"
).annotations({ description: "What became of it; the last four: why it was left" })
export type ImportOutcome = typeof ImportOutcome.Type

export const ImportResultDocument = Schema.Struct({
  ...head("import_result"),
  items: Schema.Array(
    Schema.Struct({
      outcome: ImportOutcome,
      checkpoint_id: TextOrNull,
      provider: Text,
      provider_session_id: Text,
      title: Text,
      cwd: Text,
      model: TextOrNull,
      stopped: TextOrNull.annotations({
        description: "Where in the middle it stopped; null: its last answer was complete"
      }),
      started_at: IsoTime,
      last_activity_at: IsoTime
    })
  )
})
export type ImportResultDocument = typeof ImportResultDocument.Type
