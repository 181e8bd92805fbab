/** Tasks as JSON. */
import type { Settings, Task } from "../task/Task.js"
import { gateDocument } from "./checkpointDocument.js"
import { iso, isoOrNull } from "./json.js"
import type { SettingsDocument, TaskDocument, TaskListDocument } from "./schema/tasks.js"

export const taskDocument = (task: Task): TaskDocument => {
  const { plan } = task
  return {
    kind: "task",
    version: 1,
    id: task.id,
    title: task.title,
    prompt: task.prompt,
    prompt_redacted: task.promptRedacted,
    status: task.status,
    position: task.position,
    cwd: task.cwd,
    real_path: task.folder,
    labels: task.labels,
    phases: plan.phases,
    settings: settingsDocument(plan.settings),
    phase_settings: phaseNames.flatMap((phase) => {
      const settings = plan.ofPhases[phase]
      return settings === undefined ? [] : [{ phase, ...settingsDocument(settings) }]
    }),
    add_dirs: plan.addDirs,
    gate: plan.gate === null || plan.gate === "none" ? plan.gate : gateDocument(plan.gate),
    created_at: iso(task.createdAt),
    updated_at: iso(task.updatedAt),
    started_at: isoOrNull(task.startedAt),
    done_at: isoOrNull(task.doneAt),
    run: task.run === null ? null : { checkpoint_id: task.run.id, root_id: task.run.rootId, state: task.run.state }
  }
}

const phaseNames = ["run", "plan", "implement", "review"] as const

const settingsDocument = ({ model, permission, provider, thinking }: Settings): SettingsDocument => ({
  provider,
  model,
  thinking,
  permission
})

/** Tasks in the order in which they are done. */
export const taskListDocument = (
  tasks: ReadonlyArray<Task>,
  page: { readonly total: number | null; readonly nextCursor: string | null } = { total: null, nextCursor: null }
): TaskListDocument => ({
  kind: "task_list",
  version: 1,
  items: tasks.map(taskDocument),
  total: page.total,
  next_cursor: page.nextCursor
})
