/** The schemas of a checkpoint's document, and of lists of them. */
import { CheckpointId, OwnerId, SessionId } from "../../checkpoint/ids.js"
import { CancelledCode, Origin, Permission, ReasonCode, State } from "../../checkpoint/state.js"
import { Consent, DecisionReason, DecisionStatus } from "../../resume/Decision.js"
import * as Schema from "../../Schema.js"
import { Count, CountOrNull, head, IsoTime, Numeric, NumericOrNull, Text, TextOrNull, TimeOrNull } from "./parts.js"

/** What was asked for, and what the provider reported. */
const SettingDocument = Schema.Struct({ requested: TextOrNull, actual: TextOrNull })

const ProviderSessionDocument = Schema.Struct({
  id: Text,
  assigned_by: Schema.Literal("caller", "provider"),
  seen_at: TimeOrNull,
  location: TextOrNull
})

export const PhaseDocument = Schema.Struct({
  index: Count,
  name: Text,
  provider: Text,
  model: SettingDocument,
  thinking: SettingDocument,
  provider_session: Schema.NullOr(ProviderSessionDocument),
  state: Schema.Literal("pending", ...State.literals),
  started_at: TimeOrNull,
  ended_at: TimeOrNull
})
export type PhaseDocument = typeof PhaseDocument.Type

export const ReasonDocument = Schema.Struct({
  code: ReasonCode,
  message: Text,
  detail: TextOrNull,
  resets_at: TimeOrNull,
  resets_at_source: Schema.NullOr(Schema.Literal("structured", "text")),
  exit_code: NumericOrNull,
  signal: TextOrNull,
  provider_text: TextOrNull,
  truncated: Schema.Boolean
})
export type ReasonDocument = typeof ReasonDocument.Type

export const UsageDocument = Schema.Struct({ input_tokens: Count, output_tokens: Count, cost_usd: NumericOrNull })
export type UsageDocument = typeof UsageDocument.Type

/** The answer to "resume this" in short; `runs show` and `resume --preview` give the whole. */
export const DecisionSummary = Schema.Struct({
  status: DecisionStatus,
  reason: DecisionReason,
  requires: Schema.Array(Consent),
  basis: Schema.Literal("record", "probed")
})
export type DecisionSummary = typeof DecisionSummary.Type

const ProcessDocument = Schema.Struct({ pid: Numeric, pid_start: TextOrNull })

/** The command whose success the run must reach. */
export const GateDocument = Schema.Struct({ argv: Schema.Array(Text), shell: Schema.Boolean, timeout_ms: Count })
export type GateDocument = typeof GateDocument.Type

/** The counters of a task loop. */
export const LoopDocument = Schema.Struct({
  id: Text,
  max_tasks: CountOrNull,
  tasks_completed: Count,
  iterations_planned: CountOrNull,
  iterations_completed: Count
})

export const CheckpointDocument = Schema.Struct({
  ...head("checkpoint"),
  id: Schema.encodedSchema(CheckpointId),
  seq: Count,
  agent: Text,
  session_id: Schema.encodedSchema(SessionId),
  task_id: TextOrNull,
  origin: Origin,
  labels: Schema.Record({ key: Schema.String, value: Schema.String }),
  key: TextOrNull,
  title: Text,
  prompt: Text,
  prompt_redacted: Schema.Boolean,
  prompt_truncated: Schema.Boolean,
  instruction: TextOrNull,
  state: State,
  reason: Schema.NullOr(ReasonDocument),
  resumable: Schema.NullOr(Schema.Boolean),
  decision: Schema.NullOr(DecisionSummary),
  provider: Text,
  model: SettingDocument,
  thinking: SettingDocument,
  permission: Schema.Struct({ requested: Permission, actual: TextOrNull }),
  provider_session: Schema.NullOr(ProviderSessionDocument),
  provider_args: Schema.Array(Text),
  provider_args_redacted: Schema.Boolean,
  add_dirs: Schema.Array(Text),
  phase: Count,
  phases: Schema.Array(PhaseDocument),
  workspace: Schema.Struct({ cwd: Text, real_path: Text, git_head: TextOrNull, git_branch: TextOrNull }),
  changes: Schema.NullOr(Schema.Struct({ files: Count, insertions: Count, deletions: Count })),
  position: Schema.Struct({
    turn: Count,
    messages: Count,
    last_message_id: TextOrNull,
    open_tool: Schema.NullOr(Schema.Struct({ id: Text, name: Text, since: IsoTime })),
    last_activity_at: IsoTime
  }),
  usage: UsageDocument,
  denied: Count,
  stream: Schema.Struct({ lines: Count, skipped: Count, oversize: Count }),
  provider_exit: Schema.NullOr(Schema.Struct({ code: NumericOrNull, signal: TextOrNull })),
  cancel_requested: Schema.NullOr(Schema.Struct({ at: IsoTime, by: Text, code: CancelledCode })),
  started_at: IsoTime,
  updated_at: IsoTime,
  ended_at: TimeOrNull,
  reconciled_at: TimeOrNull,
  dismissed_at: TimeOrNull,
  elapsed_ms: Count,
  attempt: Count,
  root_id: Text,
  resumed_from: TextOrNull,
  resumed_by: TextOrNull,
  forked_from: TextOrNull,
  owner: Schema.Struct({ id: Schema.encodedSchema(OwnerId), host: Text, ...ProcessDocument.fields }),
  child: Schema.NullOr(ProcessDocument),
  loop: Schema.NullOr(LoopDocument),
  gate: Schema.NullOr(GateDocument)
})
export type CheckpointDocument = typeof CheckpointDocument.Type

export const CheckpointListDocument = Schema.Struct({
  ...head("checkpoint_list"),
  items: Schema.Array(CheckpointDocument),
  total: CountOrNull.annotations({ description: "How many there are, where that is cheap to know" }),
  next_cursor: TextOrNull.annotations({ description: "For --cursor; null: this was the last page" }),
  skipped: Count.annotations({ description: "Rows that are damaged" })
})
export type CheckpointListDocument = typeof CheckpointListDocument.Type
