/** The schemas of the documents that are made outside core. */
import { Permission } from "../../checkpoint/state.js"
import * as Schema from "../../Schema.js"
import { ResumePreview } from "./decision.js"
import { head, IsoTime, Text, TextOrNull } from "./parts.js"

const AnyObject = Schema.Record({ key: Schema.String, value: Schema.Unknown })

export const ErrorDocument = Schema.Struct({
  ...head("error"),
  code: Text,
  message: Text,
  detail: TextOrNull,
  retryable: Schema.Boolean.annotations({ description: "The same command may succeed later" }),
  try: Schema.Array(Text).annotations({ description: "What a person can do" }),
  path: TextOrNull.annotations({ description: "The file that it is about" }),
  line: Schema.NullOr(Schema.Int).annotations({ description: "Where in the file, from 1" }),
  column: Schema.NullOr(Schema.Int).annotations({ description: "From 1, in UTF-16 units" })
})
export type ErrorDocument = typeof ErrorDocument.Type
/** The file that an error is about, and where in it as far as that is known. */
export type ErrorPlace = { readonly path: string } & Pick<ErrorDocument, "line" | "column">

export const ProgramVersionDocument = Schema.Struct({
  ...head("program_version"),
  name: Text,
  program_version: Text,
  node: Text,
  platform: Text
})
export type ProgramVersionDocument = typeof ProgramVersionDocument.Type

export const Check = Schema.Struct({
  id: Text,
  status: Schema.Literal("ok", "warning", "problem", "fixed", "skipped"),
  message: Text,
  detail: TextOrNull,
  try: Schema.Array(Text)
})
export type Check = typeof Check.Type

export const DoctorReportDocument = Schema.Struct({
  ...head("doctor_report"),
  ok: Schema.Boolean.annotations({ description: "No check found a problem" }),
  items: Schema.Array(Check)
})
export type DoctorReportDocument = typeof DoctorReportDocument.Type

export const ConfigDocument = Schema.Struct({
  ...head("config"),
  paths: Schema.Record({ key: Schema.String, value: TextOrNull }),
  safety: Schema.Struct({
    trusted: Schema.Boolean.annotations({ description: "The project's own configuration may run commands" }),
    dirty: Schema.NullOr(Schema.Boolean).annotations({ description: "Uncommitted changes; null: no git" }),
    gate_enabled: Schema.Boolean,
    revert_mode: TextOrNull,
    interactive: Schema.Boolean
  }),
  execution_controls: Schema.Struct({
    providers: Schema.Array(Text),
    thinking: Schema.Record({ key: Schema.String, value: Schema.Array(Text) }).annotations({
      description: "Levels of each provider"
    }),
    permissions: Schema.Array(Permission)
  }),
  config: AnyObject,
  origins: Schema.NullOr(Schema.Record({ key: Schema.String, value: Text })).annotations({
    description: "Where each value comes from (--origin)"
  }),
  resume_preview: Schema.NullOr(ResumePreview)
})
export type ConfigDocument = typeof ConfigDocument.Type

export const LogLine = Schema.Struct({
  ...head("log_line"),
  checkpoint_id: Text,
  timestamp: IsoTime,
  from: Schema.Literal("stdout", "stderr"),
  text: Text
})
export type LogLine = typeof LogLine.Type

export const BackupResultDocument = Schema.Struct({
  ...head("backup_result"),
  file: Text.annotations({ description: "Absolute path of the copy" }),
  store: Text.annotations({ description: "What was copied" }),
  size_bytes: Schema.Int,
  schema_version: Schema.Int.annotations({ description: "A program that knows a lower one does not open it" }),
  runs: Schema.Int.annotations({ description: "Attempts of all runs in it" }),
  seq: Schema.Int.annotations({ description: "The newest event in it: whatever was stored up to here is there" }),
  made_at: IsoTime
})
export type BackupResultDocument = typeof BackupResultDocument.Type
