/** The schemas of tasks. */
import { Permission, State } from "../../checkpoint/state.js"
import * as Schema from "../../Schema.js"
import { PhaseName, TaskStatus } from "../../task/Task.js"
import { GateDocument } from "./checkpoint.js"
import { Count, CountOrNull, head, IsoTime, Text, TextOrNull, TimeOrNull } from "./parts.js"

/** With what a task or one of its phases is to be done; null: what is configured. */
const SettingsDocument = Schema.Struct({
  provider: TextOrNull,
  model: TextOrNull,
  thinking: TextOrNull,
  permission: Schema.NullOr(Permission)
})
export type SettingsDocument = typeof SettingsDocument.Type

export const TaskDocument = Schema.Struct({
  ...head("task"),
  id: Text,
  title: Text,
  prompt: Text,
  prompt_redacted: Schema.Boolean,
  status: TaskStatus,
  position: Count.annotations({ description: "Its place among the tasks of the folder, from 1" }),
  cwd: Text,
  real_path: Text,
  labels: Schema.Record({ key: Schema.String, value: Schema.String }),
  phases: CountOrNull.annotations({ description: "1, 2 or 3 passes; null: as configured" }),
  settings: SettingsDocument,
  phase_settings: Schema.Array(Schema.Struct({ phase: PhaseName, ...SettingsDocument.fields })),
  add_dirs: Schema.Array(Text),
  gate: Schema.NullOr(Schema.Union(GateDocument, Schema.Literal("none"))),
  created_at: IsoTime,
  updated_at: IsoTime,
  started_at: TimeOrNull,
  done_at: TimeOrNull,
  run: Schema.NullOr(Schema.Struct({ checkpoint_id: Text, root_id: Text, state: Schema.NullOr(State) })).annotations({
    description: "Its latest run; state null: the checkpoint was removed"
  })
})
export type TaskDocument = typeof TaskDocument.Type

export const TaskListDocument = Schema.Struct({
  ...head("task_list"),
  items: Schema.Array(TaskDocument),
  total: CountOrNull,
  next_cursor: TextOrNull
})
export type TaskListDocument = typeof TaskListDocument.Type
