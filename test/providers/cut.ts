/** Runs that are cut off at a point: how each is brought there, and what is known of it then. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"
import { full } from "../reliability/size.js"
import { describeEnd } from "../support/command.js"
import type { StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { signal } from "../support/processes.js"
import { query } from "../tasks/support.js"
import { allPoints, type Point, points, reached } from "./points.js"
import { task } from "./runs.js"
import type { Begun, Declared, Stage, Subject } from "./subject.js"

const killer = fileURLToPath(new URL("../support/killAtCommit.cjs", import.meta.url))

/** A run that stands still at a point. */
export interface Cut extends Begun {
  readonly point: Point
  /** Lets the agent say the rest. */
  readonly go: string
}

/** These two go through all of their points each time, and any other through a few of them within `npm test`. */
const thorough: ReadonlyArray<string> = ["claude", "codex"]
const few: ReadonlyArray<Point> = ["silent", "opened", "toolDone", "exited"]

/** The points that a subject has and that are tried, and those that it does not have, in words. */
export const pointsOf = (
  { id, lacking }: Subject,
  not: ReadonlyArray<Point> = []
): { readonly has: ReadonlyArray<Point>; readonly words: string } => {
  const all = allPoints.filter((point) => lacking[point] === undefined && !not.includes(point))
  const has = full || thorough.includes(id) ? all : all.filter((point) => few.includes(point))
  const without = Object.entries(lacking).map(([point, why]) => `not ${points[point as Point]}: ${why}`)
  return { has, words: [`${has.length} of ${all.length} points`, ...without].join("; ") }
}

/** The last point whose words Alluka has read: it is frozen before the agent says the last of them and ends. */
const said = (point: Point): Point => (point === "exited" ? "midLine" : point)

/** What Alluka tells when it has read, and stored, what the agent said at a point. */
const eventAt: Readonly<Partial<Record<Point, string>>> = { tool: "tool_started", toolDone: "tool_finished" }

/** Starts a run and waits until it stands still. */
export const cutAt = async (subject: Subject, stage: Stage, point: Point): Promise<Cut> => {
  const { world } = stage
  const [at, go] = [world.path(`${point}.reached`), world.path(`${point}.go`)]
  const options = stage.plan({ do: "stopAt", point, reached: at, go })
  const alluka = world.start(["run", "--json", "--provider", subject.id, "-p", task], options)
  const id = (await alluka.event<StreamLine>("created")).checkpoint_id ?? ""
  await eventually(() => existsSync(at), { what: points[point] })
  if (reached(said(point), subject.announcedAt)) await alluka.event("provider_session")
  const told = eventAt[point]
  if (told !== undefined) await alluka.event(told)
  return { alluka, id, point, go }
}

/** The commit that makes a checkpoint in a store that is there, counted from 1; found out once. */
let creating: number | null = null

/** Dies where no signal from outside can be aimed at: right after the commit that makes the checkpoint. */
export const killedWhenCreated = async (subject: Subject, stage: Stage): Promise<string> => {
  const { world } = stage
  const { env } = stage.plan({ do: "finish" })
  // Makes the store.
  await world.json(["runs", "list"])
  const known = () => query(world, "SELECT id FROM checkpoint ORDER BY seq DESC")
  const before = known().length
  for (let commit = creating ?? 1; commit <= 10; commit++) {
    const killed = await world.run(["run", "--json", "--provider", subject.id, "-p", task], {
      env: { ...env, NODE_OPTIONS: `--require=${killer}`, ALLUKA_TEST_COMMIT: String(commit) }
    })
    expect(killed.signal, describeEnd(killed)).toBe("SIGKILL")
    const [made, ...others] = known()
    if (others.length === before) {
      creating = commit
      return String(made?.id)
    }
  }
  throw new Error("none of the first commits makes the checkpoint")
}

/** Kills the agent, and all that it has started. */
export const killAgent = async ({ world }: Stage, id: string): Promise<void> => {
  for (const { pid } of world.marked(id)) signal(pid, "SIGKILL")
  await world.noneMarked(id)
}

/** Kills Alluka alone: what it had started stays. */
export const killAlluka = async ({ alluka, go, id, point }: Cut, { world }: Stage): Promise<void> => {
  if (point === "exited") {
    alluka.kill("SIGSTOP")
    world.touch(go)
    await world.noneMarked(id)
  }
  alluka.kill("SIGKILL")
  await alluka.ended()
}

/** Whether the id of the conversation is known at a point. */
export const isNamed = (subject: Subject, { continuation, id_known }: Declared, point: Point): boolean =>
  continuation !== "none" && (id_known === "before_spawn" || reached(said(point), subject.announcedAt))

/** Whether the agent has the conversation on its disk. Half of the first line is before it has done anything. */
export const isStored = ({ storedAt }: Subject, point: Point): boolean =>
  reached(point === "firstLine" ? "silent" : point, storedAt)

/** What is stored of a run, looked at in the database itself: nothing is put right by a look. */
export const stored = (
  { world }: Stage,
  id: string
): { readonly state: unknown; readonly reason: unknown; readonly session: unknown } => {
  const [row] = query(world, `SELECT state, reason_code, provider_session_id FROM checkpoint WHERE id = '${id}'`)
  return { state: row?.state, reason: row?.reason_code, session: row?.provider_session_id }
}
