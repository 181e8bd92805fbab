/**
 * A task: a piece of work on the list of a folder, done by runs. What a run of it has done is in its checkpoints; the task
 * itself holds what is wanted, how, and how far it is.
 */
import { Time } from "../checkpoint/Checkpoint.js"
import { GateCommand } from "../checkpoint/GateCommand.js"
import { CheckpointId } from "../checkpoint/ids.js"
import { Permission, State } from "../checkpoint/state.js"
import * as Schema from "../Schema.js"

/** `T-0001`: a prefix of the user's choice and a number that no other task of the store has. */
export const TaskId = Schema.String.pipe(Schema.pattern(/^[A-Z][A-Z0-9]{0,15}-\d{4,}$/), Schema.brand("TaskId"))
export type TaskId = typeof TaskId.Type

export const defaultPrefix = "T"

/** What a prefix may look like. */
export const isPrefix = (text: string): boolean => /^[A-Z][A-Z0-9]{0,15}$/.test(text)

/** The id of the task with this number. */
export const taskId = (prefix: string, number: number): TaskId =>
  TaskId.make(`${prefix}-${`${number}`.padStart(4, "0")}`)

/**
 * `doing`: a run of it began and has neither completed it nor been cancelled: it is running, or can go on. `rejected`: it
 * is not wanted any more.
 */
export const TaskStatus = Schema.Literal("todo", "doing", "done", "rejected")
export type TaskStatus = typeof TaskStatus.Type

export const PhaseName = Schema.Literal("run", "plan", "implement", "review")
export type PhaseName = typeof PhaseName.Type

/** With what a task, or a phase of it, is to be done; `null`: what is configured. */
export const Settings = Schema.Struct({
  provider: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  thinking: Schema.NullOr(Schema.String),
  permission: Schema.NullOr(Permission)
})
export type Settings = typeof Settings.Type

export const noSettings: Settings = { provider: null, model: null, thinking: null, permission: null }

export const phaseCounts = [1, 2, 3] as const

/** How a task is to be done. `null` everywhere: as configured. */
export const Plan = Schema.Struct({
  /** 1: in one pass; 2: plan, implement; 3: plan, implement, review. */
  phases: Schema.NullOr(Schema.Literal(...phaseCounts)),
  settings: Settings,
  /** Settings of single phases, by name; stronger than `settings`. */
  ofPhases: Schema.Record({ key: PhaseName, value: Schema.UndefinedOr(Settings) }).pipe(Schema.partial),
  addDirs: Schema.Array(Schema.String),
  /** `none`: no gate, whatever is configured. */
  gate: Schema.NullOr(Schema.Union(GateCommand, Schema.Literal("none")))
})
export type Plan = typeof Plan.Type

export const noPlan: Plan = { phases: null, settings: noSettings, ofPhases: {}, addDirs: [], gate: null }

/** The latest run of a task. */
export const TaskRun = Schema.Struct({
  id: CheckpointId,
  /** First attempt of its lineage. */
  rootId: CheckpointId,
  /** `null`: the checkpoint was removed. */
  state: Schema.NullOr(State)
})
export type TaskRun = typeof TaskRun.Type

export const Task = Schema.Struct({
  id: TaskId,
  /** Real path of the folder that it belongs to. */
  folder: Schema.String,
  /** The same folder as it was given. */
  cwd: Schema.String,
  /** Its place among the tasks of the folder, from 1; tasks are done in this order. */
  position: Schema.Number.pipe(Schema.int()),
  title: Schema.String,
  prompt: Schema.String,
  /** The prompt held a secret, of which nothing is kept. */
  promptRedacted: Schema.Boolean,
  status: TaskStatus,
  plan: Plan,
  labels: Schema.Record({ key: Schema.String, value: Schema.String }),
  createdAt: Time,
  updatedAt: Time,
  /** When its latest run began. */
  startedAt: Schema.NullOr(Time),
  /** When it was done. */
  doneAt: Schema.NullOr(Time),
  run: Schema.NullOr(TaskRun)
})
export type Task = typeof Task.Type
