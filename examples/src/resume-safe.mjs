#!/usr/bin/env node
/**
 * For cron: resumes in the background what can go on without a question, and reports the rest. Exit code 1 where a person
 * is needed. `ALLUKA` names the program (default: `alluka` on PATH).
 *
 *   0 * * * *  node resume-safe.mjs
 */
import { spawnSync } from "node:child_process"

const program = (process.env.ALLUKA ?? "alluka").split(" ")

/** Runs `alluka ARGS --json`: its exit code, and the one document it printed. */
const alluka = (...args) => {
  const { error, status, stdout, stderr } = spawnSync(
    program[0],
    [...program.slice(1), ...args, "--json", "--no-input"],
    {
      encoding: "utf8",
      maxBuffer: 1 << 28
    }
  )
  if (error) throw error
  return { code: status, document: stdout === "" ? null : JSON.parse(stdout), error: stderr }
}

const { document: list } = alluka("resume", "--all-safe", "-n")
let waiting = 0
for (const { id, title, decision } of list.items) {
  if (decision.status === "resuming_same_session") {
    const { code, document } = alluka("resume", id, "--detach")
    if (code === 0) {
      console.log(`goes on: ${title} (${id} as ${document.id})`)
      continue
    }
  }
  waiting++
  console.log(`waits for you: ${title} (${id}): ${decision.reason}`)
}
process.exitCode = waiting === 0 ? 0 : 1
