/**
 * The JSON that the command line promises (snake_case), as far as the tests read it, and the strict reading of it. These
 * shapes are written down here by hand on purpose: they are what programs outside this repository rely on.
 */

export interface Setting {
  readonly requested: string | null
  readonly actual: string | null
}

export interface ReasonDocument {
  readonly code: string
  readonly message: string
  readonly detail: string | null
  readonly resets_at: string | null
  readonly resets_at_source: string | null
  readonly exit_code: number | null
  readonly signal: string | null
  readonly provider_text: string | null
  readonly truncated: boolean
}

export interface DecisionDocument {
  readonly status: "resuming_same_session" | "falling_back_to_fresh_invocation" | "refusing_to_resume"
  readonly scope: string
  readonly reason: string
  readonly cause: string | null
  readonly checkpoint_id: string | null
  readonly task_id: string | null
  readonly message: string
  readonly detail: string
  readonly keeps: ReadonlyArray<string>
  readonly loses: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  readonly continuity: string
  readonly facts: Readonly<Record<string, unknown>> & {
    readonly owner: { readonly pid: number } | null
    readonly survivor_pid: number | null
    readonly path: string | null
    readonly tip: string | null
  }
  readonly requires: ReadonlyArray<string>
  readonly alternatives: ReadonlyArray<{
    readonly action: string
    readonly title: string
    readonly argv: ReadonlyArray<string>
  }>
  readonly evaluated_at: string
  readonly basis: string
}

export interface CheckpointDocument {
  readonly kind: "checkpoint"
  readonly version: number
  readonly id: string
  readonly seq: number
  readonly agent: string
  readonly session_id: string
  readonly origin: string
  readonly title: string
  readonly prompt: string
  readonly prompt_redacted: boolean
  readonly instruction: string | null
  readonly provider: string
  readonly model: Setting
  readonly thinking: Setting
  readonly permission: Setting
  readonly provider_session: {
    readonly id: string
    readonly assigned_by: string
    readonly seen_at: string | null
    readonly location: string | null
  } | null
  readonly workspace: { readonly cwd: string; readonly real_path: string }
  readonly position: {
    readonly turn: number
    readonly messages: number
    readonly open_tool: { readonly id: string; readonly name: string; readonly since: string } | null
    readonly last_activity_at: string
  }
  readonly started_at: string
  readonly updated_at: string
  readonly ended_at: string | null
  readonly reconciled_at: string | null
  readonly dismissed_at: string | null
  readonly elapsed_ms: number
  readonly resumable: boolean
  readonly decision: {
    readonly status: string
    readonly reason: string
    readonly requires: ReadonlyArray<string>
    readonly basis: string
  } | null
  readonly state: "running" | "completed" | "interrupted" | "failed" | "cancelled"
  readonly reason: ReasonDocument | null
  readonly denied: number
  readonly stream: { readonly lines: number; readonly skipped: number; readonly oversize: number }
  readonly provider_exit: { readonly code: number | null; readonly signal: string | null } | null
  readonly attempt: number
  readonly root_id: string
  readonly resumed_from: string | null
  readonly resumed_by: string | null
  readonly owner: {
    readonly id: string
    readonly host: string
    readonly pid: number
    readonly pid_start: string | null
  }
  readonly child: { readonly pid: number; readonly pid_start: string | null } | null
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number; readonly cost_usd: number | null }
}

export interface StreamLine {
  readonly kind: string
  readonly version: number
  readonly seq: number | null
  readonly checkpoint_id: string | null
  readonly task_id: string | null
  readonly phase: number | null
  readonly timestamp: string
  readonly message: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface RunSummary {
  readonly kind: "run_summary"
  readonly version: number
  readonly checkpoint_id: string | null
  readonly state: CheckpointDocument["state"] | null
  readonly reason: ReasonDocument | null
  readonly exit_code: number
  readonly denied: number
  readonly elapsed_ms: number | null
}

export interface ErrorDocument {
  readonly kind: "error"
  readonly version: number
  readonly code: string
  readonly message: string
  readonly detail: string | null
  readonly retryable: boolean
  readonly try: ReadonlyArray<string>
}

export interface Document {
  readonly kind: string
  readonly version: number
}

/** Parses one JSON document or line strictly: valid JSON, an object, with `kind` and an integer `version`. */
export const parseDocument = (text: string): Document => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error(`not JSON (${String(cause)}): ${text.slice(0, 400)}`)
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`not an object: ${text.slice(0, 400)}`)
  const document = value as Document
  if (typeof document.kind !== "string" || document.kind === "") throw new Error(`without kind: ${text.slice(0, 400)}`)
  if (!Number.isInteger(document.version)) throw new Error(`without an integer version: ${text.slice(0, 400)}`)
  return document
}

/** Parses every line strictly; the text must end with a line end. */
export const parseLines = (text: string): ReadonlyArray<Document> => {
  if (text === "") return []
  if (!text.endsWith("\n")) throw new Error(`the last line is cut: ${text.slice(-400)}`)
  return text.slice(0, -1).split("\n").map(parseDocument)
}
