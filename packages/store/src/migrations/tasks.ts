/**
 * Tasks and the loops that work through them.
 *
 * `number` counts over the whole store, so a task's id, and the session ids that are derived from it, are one of a kind
 * whatever the folder. `run_id` and `run_root`: the latest run of the task and the first attempt of its lineage; they and
 * the status are written by the transactions that begin and end checkpoints, and by nothing else while a run goes on.
 *
 * `checkpoint_running_task`: no task is run twice at once. `task_loop_open`: one loop a folder, whoever asks.
 */
import type { Migration } from "./Migration.js"

const task = `CREATE TABLE task (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  folder TEXT NOT NULL,
  cwd TEXT NOT NULL,
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  prompt TEXT NOT NULL,
  prompt_redacted INTEGER NOT NULL CHECK (prompt_redacted IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('todo', 'doing', 'done', 'rejected')),
  plan TEXT NOT NULL,
  labels TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  done_at INTEGER,
  run_id TEXT,
  run_root TEXT
) STRICT`

const loop = `CREATE TABLE task_loop (
  id TEXT NOT NULL PRIMARY KEY,
  folder TEXT NOT NULL,
  owner_id TEXT NOT NULL REFERENCES owner (id) DEFERRABLE INITIALLY DEFERRED,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  max_tasks INTEGER,
  tasks_completed INTEGER NOT NULL DEFAULT 0,
  iterations_completed INTEGER NOT NULL DEFAULT 0,
  stop_requested_at INTEGER
) STRICT, WITHOUT ROWID`

export const tasks: Migration = {
  version: 2,
  name: "tasks",
  statements: [
    task,
    loop,
    "CREATE INDEX task_by_folder ON task (folder, position)",
    "CREATE INDEX task_by_run ON task (run_id) WHERE run_id IS NOT NULL",
    "CREATE UNIQUE INDEX task_loop_open ON task_loop (folder) WHERE ended_at IS NULL",
    "CREATE UNIQUE INDEX checkpoint_running_task ON checkpoint (task_id) WHERE state = 'running' AND task_id IS NOT NULL",
    "CREATE INDEX checkpoint_by_task_folder ON checkpoint (folder) WHERE task_id IS NOT NULL"
  ]
}
