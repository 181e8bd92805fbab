/** The services of tasks over the real store, with a scripted provider, in a git repository of their own. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  type Checkpoint,
  type Decision,
  type Event,
  type LoopRequest,
  Scope,
  Task,
  TaskRuns,
  Tasks
} from "@alluka/core"
import * as Effect from "effect/Effect"
import type { ScriptOptions } from "./scriptedProvider.js"
import { inWorld, type World } from "./world.js"

/** `inWorld` with the services of tasks; the folder is a git repository with one commit. */
export const inTaskWorld = <A, E, R>(options: ScriptOptions, body: (world: World) => Effect.Effect<A, E, R>) =>
  inWorld(options, (world) =>
    Effect.gen(function* () {
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-C", world.cwd, "-c", "user.name=a", "-c", "user.email=a@b", ...args])
      git("init", "--quiet", "--initial-branch=main")
      writeFileSync(join(world.cwd, "a.txt"), "a\n")
      git("add", "--all")
      git("commit", "--quiet", "-m", "first")
      return yield* body(world)
    })
  )

export const newTask = (cwd: string, prompt: string, plan: Partial<Task.Plan> = {}): Tasks.NewTask => ({
  cwd,
  prompt,
  title: null,
  labels: {},
  plan: { ...Task.noPlan, ...plan },
  prefix: "T",
  status: "todo"
})

export const addTasks = (cwd: string, prompts: ReadonlyArray<string>, plan: Partial<Task.Plan> = {}) =>
  Effect.flatMap(Tasks.Tasks, (tasks) => tasks.add(prompts.map((prompt) => newTask(cwd, prompt, plan))))

/** The status of every task, in their order. */
export const statuses = (cwd: string) =>
  Effect.flatMap(Tasks.Tasks, (tasks) =>
    Effect.map(tasks.list({ folder: null, statuses: [] }), ({ items }) =>
      items.filter((task) => task.cwd === cwd).map(({ status }) => status)
    )
  )

export const loopRequest = (cwd: string, change: Partial<LoopRequest.LoopRequest> = {}): LoopRequest.LoopRequest => ({
  cwd,
  agent: "default",
  kind: "loop",
  taskId: null,
  maxTasks: null,
  resume: "ask",
  consents: new Set(),
  onLostSession: "refuse",
  stopOnFailure: false,
  continueAtReset: false,
  revert: "keep",
  defaults: {
    flags: Task.noSettings,
    phases: null,
    gate: null,
    configured: { settings: { ...Task.noSettings, provider: "claude" }, phases: 1, gate: null }
  },
  limits: { timeoutMs: null, idleMs: null },
  ...change
})

/** What a loop told, for a test to look at. */
export interface Heard {
  readonly decisions: Array<Decision.Decision>
  readonly events: Array<LoopRequest.LoopEvent>
  readonly runs: Array<Checkpoint.Checkpoint>
}

export const heard = (): Heard => ({ decisions: [], events: [], runs: [] })

/** Hands that show nothing, ask nobody, and remember what they were told. */
export const hands = (
  into: Heard,
  change: Partial<LoopRequest.LoopHands<never>> = {}
): LoopRequest.LoopHands<never> => ({
  ask: null,
  gateGaveUp: null,
  provider: Effect.succeed("claude"),
  follow: (run) =>
    Effect.map(Effect.orDie(run.outcome), (checkpoint) => {
      into.runs.push(checkpoint)
      return { checkpoint, signalled: false }
    }),
  tell: (event) =>
    Effect.sync(() => {
      into.events.push(event)
    }),
  decided: (decision) =>
    Effect.sync(() => {
      into.decisions.push(decision)
    }),
  ...change
})

export const runLoop = (
  request: LoopRequest.LoopRequest,
  into: Heard = heard(),
  change: Partial<LoopRequest.LoopHands<never>> = {}
) => Effect.flatMap(TaskRuns.TaskRuns, (runs) => runs.run(Scope.operator, request, hands(into, change)))

export const kindsOf = (events: ReadonlyArray<Event.StoredEvent>): ReadonlyArray<string> =>
  events.map(({ kind }) => kind)
