/** The documents whose facts come from outside core, with `kind` and `version`. */
import type { OutputLine } from "../host/OutputLog.js"
import type { Decision } from "../resume/Decision.js"
import { resumePreview } from "./decisionDocument.js"
import { iso } from "./json.js"
import type {
  BackupResultDocument,
  Check,
  ConfigDocument,
  DoctorReportDocument,
  ErrorDocument,
  ErrorPlace,
  LogLine
} from "./schema/reports.js"

/** An error that no decision stands behind: one line on stderr. `place`: in the file that it is about, if it is about one. */
export const errorDocument = (
  error: Omit<ErrorDocument, "kind" | "version" | "path" | "line" | "column"> & { readonly place: ErrorPlace | null }
): ErrorDocument => ({
  kind: "error",
  version: 1,
  code: error.code,
  message: error.message,
  detail: error.detail,
  retryable: error.retryable,
  try: error.try,
  path: error.place?.path ?? null,
  line: error.place?.line ?? null,
  column: error.place?.column ?? null
})

export const doctorReportDocument = (checks: ReadonlyArray<Check>): DoctorReportDocument => ({
  kind: "doctor_report",
  version: 1,
  ok: checks.every(({ status }) => status !== "problem"),
  items: checks
})

/** A copy of the store that was made. `madeAt`: ms since 1970. */
export const backupResultDocument = (made: {
  readonly file: string
  readonly store: string
  readonly bytes: number
  readonly schema: number
  readonly runs: number
  readonly seq: number
  readonly madeAt: number
}): BackupResultDocument => ({
  kind: "backup_result",
  version: 1,
  file: made.file,
  store: made.store,
  size_bytes: made.bytes,
  schema_version: made.schema,
  runs: made.runs,
  seq: made.seq,
  made_at: iso(made.madeAt)
})

/** The configuration as it applies here, and what `task run loop --resume --no-input` would decide. */
export const configDocument = (
  report: Omit<ConfigDocument, "kind" | "version" | "resume_preview">,
  decision: Decision | null
): ConfigDocument => ({
  kind: "config",
  version: 1,
  paths: report.paths,
  safety: report.safety,
  execution_controls: report.execution_controls,
  config: report.config,
  origins: report.origins,
  resume_preview: decision === null ? null : resumePreview(decision)
})

/** A line of a run's output file. */
export const logLine = (checkpointId: string, line: OutputLine): LogLine => ({
  kind: "log_line",
  version: 1,
  checkpoint_id: checkpointId,
  timestamp: iso(line.at),
  from: line.from,
  text: line.text
})
