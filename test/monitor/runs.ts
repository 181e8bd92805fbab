/** Runs that the monitor's tests begin with. */

import { join } from "node:path"
import Database from "better-sqlite3"
import type { CheckpointDocument } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import * as claude from "../support/stub/claudeStream.js"
import { type Steps, stdout, wait } from "../support/stub/script.js"
import type { World } from "../support/world.js"

/** Starts a run that goes on alone, and waits until its agent was called. Gives its checkpoint. */
export const detached = async (
  world: World,
  title: string,
  { provider = "claude", flags = [] as ReadonlyArray<string> } = {}
): Promise<CheckpointDocument> => {
  const before = world.stubStarts().length
  const started = await world.json<CheckpointDocument>([
    "run",
    "--provider",
    provider,
    "--detach",
    "--title",
    title,
    "-p",
    "tidy the garden",
    ...flags
  ])
  await world.stubStart(before + 1)
  return started
}

/** Makes the record of a run unreadable. */
export const damage = (world: World, title: string): void => {
  const database = new Database(join(world.store, "alluka.db"))
  try {
    database.prepare("UPDATE checkpoint SET progress = '{' WHERE title = ?").run(title)
  } finally {
    database.close()
  }
}

/** Ends a run by the death of its owner, together with its agent: interrupted, and free to be resumed. */
export const orphaned = async (world: World, run: CheckpointDocument): Promise<CheckpointDocument> => {
  process.kill(run.owner.pid, "SIGKILL")
  await eventually(() => {
    for (const one of world.marked(run.id)) process.kill(one.pid, "SIGKILL")
    return world.marked(run.id).length === 0
  })
  return eventually(async () => {
    const shown = await world.show(run.id)
    return shown.state === "interrupted" ? shown : null
  })
}

/** An agent that says something many times a second, and never ends. */
export const talkative = (times: number, everyMs: number): Steps => [
  claude.init(),
  ...Array.from({ length: times }, (_, index) => [
    claude.text(`message number ${index}`, `m${index}`),
    wait(everyMs)
  ]).flat(),
  { forever: true }
]

/** Prints a line that a terminal must not be given as it is. */
export const hostile: Steps = [
  claude.init(),
  claude.text("before \u001b]52;c;aGFja2Vk\u0007 \u001b[2J\u001b[H \u009b31m \u202e after", "h1"),
  stdout("\u001b]0;stolen title\u0007 plain words \u001b[3J\n"),
  { forever: true }
]
