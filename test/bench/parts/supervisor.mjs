/** What supervising a run costs while its agent talks: CPU of `alluka run` alone, as a share of one core. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { cpuMs, tellsUse } from "../measure/processUse.mjs"
import { bareEnvironment, program } from "../program.mjs"

const agent = fileURLToPath(new URL("../runs/chattyAgent.mjs", import.meta.url))

/** What the start costs is over by then, s. */
const settleSeconds = 4

export const supervisor = {
  name: "supervisor",
  title: "A live run",
  run: async ({ empty, note, quick }) => {
    if (!tellsUse) {
      note("The CPU of a running process can be told on Linux only.")
      return []
    }
    const home = empty("supervisor")
    const seconds = quick ? 15 : 60
    const bin = join(home, "bin")
    mkdirSync(bin)
    writeFileSync(join(bin, "claude"), `#!/bin/sh\nexec '${process.execPath}' '${agent}' "$@"\n`)
    chmodSync(join(bin, "claude"), 0o755)
    const env = bareEnvironment(join(home, "data"))
    const child = spawn(process.execPath, [program, "run", "Change two lines.", "--provider", "claude", "--json"], {
      cwd: home,
      env: { ...env, HOME: home, PATH: `${bin}:${env.PATH}`, CHATTY_SECONDS: String(seconds + settleSeconds + 3) },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let lines = 0
    child.stdout.on("data", (data) => {
      lines += data.toString().split("\n").length - 1
    })
    const ended = once(child, "close")
    await delay(settleSeconds * 1000)
    const before = { cpu: cpuMs(child.pid), lines, at: Date.now() }
    await delay(seconds * 1000)
    const cpu = cpuMs(child.pid) - before.cpu
    const passed = Date.now() - before.at
    const told = lines - before.lines
    const [code] = await ended
    if (code !== 0) throw new Error(`the run ended with exit code ${code}`)
    return [
      {
        id: "supervisor.cpu",
        title: "CPU of `alluka run --json` at 20 events a second, of one core",
        value: (100 * cpu) / passed,
        unit: "percent",
        detail: { seconds, eventsTold: told }
      }
    ]
  }
}
