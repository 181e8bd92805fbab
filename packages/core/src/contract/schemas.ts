/** Every kind of document and line with its JSON Schema: what `alluka schema KIND` prints and `docs/schemas` holds. */
import * as Schema from "../Schema.js"
import { CancelResultDocument } from "./schema/cancelResult.js"
import { CheckpointDocument, CheckpointListDocument } from "./schema/checkpoint.js"
import { ResumePreview } from "./schema/decision.js"
import { eventLineSchemas, HeartbeatLine, TimelineDocument } from "./schema/events.js"
import { ImportResultDocument } from "./schema/importResult.js"
import { ProviderDocument, ProviderListDocument, ProviderTestDocument } from "./schema/providers.js"
import {
  BackupResultDocument,
  ConfigDocument,
  DoctorReportDocument,
  ErrorDocument,
  LogLine,
  ProgramVersionDocument
} from "./schema/reports.js"
import { RunSummary } from "./schema/runSummary.js"
import { AgentListDocument, SessionDocument, SessionListDocument } from "./schema/sessions.js"
import { TaskDocument, TaskListDocument } from "./schema/tasks.js"

/** The schema of each kind. */
export const schemas: Readonly<Record<string, Schema.Schema.AnyNoContext>> = {
  checkpoint: CheckpointDocument,
  checkpoint_list: CheckpointListDocument,
  timeline: TimelineDocument,
  resume_preview: ResumePreview,
  run_summary: RunSummary,
  session: SessionDocument,
  session_list: SessionListDocument,
  task: TaskDocument,
  task_list: TaskListDocument,
  provider_list: ProviderListDocument,
  provider: ProviderDocument,
  provider_test: ProviderTestDocument,
  agent_list: AgentListDocument,
  config: ConfigDocument,
  doctor_report: DoctorReportDocument,
  backup_result: BackupResultDocument,
  cancel_result: CancelResultDocument,
  import_result: ImportResultDocument,
  program_version: ProgramVersionDocument,
  error: ErrorDocument,
  log_line: LogLine,
  ...eventLineSchemas,
  heartbeat: HeartbeatLine
}

export const kinds: ReadonlyArray<string> = Object.keys(schemas)

/** A JSON Schema as data. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The JSON Schema (draft 7) of a kind; `undefined` if there is no such kind. */
export const jsonSchema = (kind: string): JsonSchema | undefined => {
  const schema = Object.hasOwn(schemas, kind) ? schemas[kind] : undefined
  if (schema === undefined) return undefined
  const { $schema, ...rest } = plain(Schema.JSONSchema.make(schema), true) as JsonSchema
  return { $schema, title: kind, ...rest }
}

/** The JSON Schema (draft 7) of what a schema reads, in which a name that nobody knows is a fault. For files that people write. */
export const closedJsonSchema = (schema: Schema.Schema.AnyNoContext): JsonSchema => {
  const { $schema: _, ...rest } = plain(Schema.JSONSchema.make(schema), false) as JsonSchema
  return rest
}

/**
 * The same schema without the marks of the library that made it. `open`: for readers of what may get additions, which keep
 * the version.
 */
const plain = (node: unknown, open: boolean): unknown => {
  if (Array.isArray(node)) return node.map((each) => plain(each, open))
  if (typeof node !== "object" || node === null) return node
  const members = Object.entries(node)
  if (
    members.some(([name, value]) => name === "enum" && Array.isArray(value) && value.length === 1 && value[0] === null)
  ) {
    return { type: "null" }
  }
  return Object.fromEntries(
    members.flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (name === "additionalProperties" && value === false && open) return []
      if (name === "patternProperties") return anyName(value, open)
      if (name === "$id" || (name === "title" && mark.test(String(value)))) return []
      if (name === "description" && markWords.has(value)) return []
      return [[name, plain(value, open)]]
    })
  )
}

const mark = /^(?:integer|unknown|NonEmptyString|.*\(Encoded side\))$/
const markWords = new Set<unknown>(["a non-negative number", "a non empty string"])

/** A record's values: the pattern that matches every name, said the usual way. */
const anyName = (patterns: unknown, open: boolean): ReadonlyArray<readonly [string, unknown]> => {
  const [[pattern, value] = ["", {}], ...more] = Object.entries(patterns as object)
  return pattern === "" && more.length === 0
    ? [["additionalProperties", plain(value, open)]]
    : [["patternProperties", plain(patterns, open)]]
}
