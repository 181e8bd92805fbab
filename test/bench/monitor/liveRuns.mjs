/** Live runs of another process, for the time of a measurement. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const owner = fileURLToPath(new URL("./live.mjs", import.meta.url))

/** Starts them (see `live.mjs`); `said(message, at)` is told of each commit of the newest. Answers what ends them. */
export const startLiveRuns = async (home, { count, everyMs = 0, others = 0, said = () => undefined }) => {
  const child = spawn(process.execPath, [owner, home, count, everyMs, others].map(String), {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const over = once(child, "close")
  const started = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "started") resolve()
      else said(...JSON.parse(line))
    })
    over.then(() => reject(new Error("the owner of the live runs ended")))
  })
  await started
  return async () => {
    child.stdin.end()
    await over
  }
}
