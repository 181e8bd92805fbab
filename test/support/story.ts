/** Runs of every kind in a world's store, without an agent that has to be waited for. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { World } from "./world.js"

const script = fileURLToPath(new URL("./story.mjs", import.meta.url))

export interface StoryRun {
  readonly title: string
  readonly state: "running" | "completed" | "interrupted" | "failed" | "cancelled"
  readonly id?: string
  readonly prompt?: string
  readonly provider?: string
  readonly model?: string
  readonly thinking?: string
  readonly permission?: "read" | "edit" | "full"
  readonly agent?: string
  readonly labels?: Readonly<Record<string, string>>
  /** The provider's id of the conversation. */
  readonly session?: string | undefined
  readonly folder?: string
  readonly reason?: { readonly code: string; readonly message: string; readonly resetsAt?: number }
  /** How long ago it ended, or last did something, ms. */
  readonly agoMs?: number
  readonly ranMs?: number
  readonly turn?: number
  /** A tool that is, or was, at work. */
  readonly tool?: string
  /** What it said, in the order of time; with `tool`: a tool that began, or with `done` ended. */
  readonly said?: ReadonlyArray<{ readonly text: string; readonly tool?: string; readonly done?: boolean }>
}

/** Tells the runs, in the order of their creation. The running ones live until the test ends. */
export const tellStory = async (world: World, runs: ReadonlyArray<StoryRun>): Promise<void> => {
  const teller = spawn(process.execPath, [script, world.store], {
    env: world.env,
    stdio: ["pipe", "pipe", "pipe"]
  })
  let trouble = ""
  teller.stderr.on("data", (chunk: Buffer) => {
    trouble += chunk.toString("utf8")
  })
  teller.stdin.on("error", () => undefined)
  teller.stdin.write(`${JSON.stringify(runs.map((run) => ({ folder: world.work, ...run })))}\n`)
  for await (const line of createInterface({ input: teller.stdout })) {
    if (line === "told") return
  }
  throw new Error(`the story could not be told: ${trouble}`)
}
