/** Tasks in a test world: added, looked at, and what a task run's stream says. */

import { join } from "node:path"
import Sqlite from "better-sqlite3"
import type { Ended } from "../support/command.js"
import type { DecisionDocument, Document, RunSummary, StreamLine } from "../support/documents.js"
import type { World } from "../support/world.js"

export interface TaskDocument extends Document {
  readonly id: string
  readonly title: string
  readonly prompt: string
  readonly status: "todo" | "doing" | "done" | "rejected"
  readonly position: number
  readonly run: { readonly checkpoint_id: string; readonly root_id: string; readonly state: string | null } | null
}

export interface TaskList extends Document {
  readonly items: ReadonlyArray<TaskDocument>
}

export interface LoopSummary extends RunSummary {
  readonly outcome: string
  readonly loop: {
    readonly id: string
    readonly max_tasks: number | null
    readonly tasks_completed: number
    readonly iterations_completed: number
  } | null
  readonly blocked: {
    readonly reason: string
    readonly next: ReadonlyArray<{ readonly title: string; readonly argv: ReadonlyArray<string> }>
  } | null
}

export interface TaskSettings {
  readonly provider?: string
  readonly phases?: 1 | 2 | 3
  readonly gate?: { readonly argv: ReadonlyArray<string>; readonly shell?: boolean }
}

/** Adds tasks in one go, done by the stub of claude unless something else is said. */
export const addTasks = async (
  world: World,
  prompts: ReadonlyArray<string>,
  { gate, phases, provider = "claude" }: TaskSettings = {}
): Promise<void> => {
  const items = prompts.map((prompt) => ({
    prompt,
    phases: phases ?? null,
    settings: { provider },
    gate: gate ?? null
  }))
  await world.json<TaskList>(["task", "import", "-", "--with-gates"], { input: JSON.stringify(items) })
}

export const tasksOf = async (world: World): Promise<ReadonlyArray<TaskDocument>> =>
  (await world.json<TaskList>(["task", "list"])).items

export const statuses = async (world: World): Promise<ReadonlyArray<string>> =>
  (await tasksOf(world)).map(({ status }) => status)

export const taskRun = (
  world: World,
  kind: "one" | "loop" | "resume",
  flags: ReadonlyArray<string> = []
): Promise<Ended> => world.run(["task", "run", kind, "--json", ...flags], { withinMs: 60_000 })

export const summaryOf = (ended: Ended): LoopSummary => {
  const last = ended.lines().at(-1)
  if (last?.kind !== "run_summary") throw new Error(`the last line is ${last?.kind}\n${ended.stdout}\n${ended.stderr}`)
  return last as unknown as LoopSummary
}

export const decisionsOf = (ended: Ended): ReadonlyArray<DecisionDocument> =>
  ended
    .lines()
    .filter(({ kind }) => kind === "resume_decision")
    .map((line) => (line as unknown as StreamLine).payload as unknown as DecisionDocument)

/** Runs a query on the world's store, as another program would. */
export const query = (world: World, sql: string): ReadonlyArray<Record<string, unknown>> => {
  const database = new Sqlite(join(world.store, "alluka.db"), { readonly: true })
  try {
    return database.prepare(sql).all() as ReadonlyArray<Record<string, unknown>>
  } finally {
    database.close()
  }
}

/** A loop that is ended by SIGTERM as soon as its agent has said something. */
export const interruptedLoop = async (world: World, flags: ReadonlyArray<string> = []): Promise<Ended> => {
  const loop = world.start(["task", "run", "loop", "--json", ...flags])
  await loop.event("message")
  loop.kill("SIGTERM")
  return loop.ended()
}
