/**
 * Takes the pictures of the documentation: `npm run docs:screens`. The built program runs on a real terminal over a store
 * that is the same every time; what its cells show becomes `docs/screens/NAME.svg`. Nothing is drawn by hand.
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { spawn as openPty } from "@lydell/node-pty"
import xterm from "@xterm/headless"
import { now, runs, tasks } from "./story.mjs"
import { svgOf } from "./svg.mjs"

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const program = here("../../apps/cli/dist/alluka.cjs")
const pictures = here("../../docs/screens")

/** How long something may take to be shown, ms. */
const patienceMs = 20_000

const folder = realpathSync(mkdtempSync(join(tmpdir(), "alluka-screens-")))
const [home, bin] = [join(folder, "home"), join(folder, "bin")]
const shop = join(home, "src/shop")
for (const one of [shop, bin, join(home, "src/site"), join(home, "src/inbox")])
  mkdirSync(one, { recursive: true, mode: 0o700 })
execFileSync("git", ["init", "--quiet", "--initial-branch", "main", shop])
symlinkSync(process.execPath, join(bin, "node"))
symlinkSync(program, join(bin, "alluka"))
// Programs that are found and never called.
for (const name of ["claude", "codex", "gemini"]) writeFileSync(join(bin, name), "#!/bin/sh\nexit 1\n", { mode: 0o755 })

const envOf = (store) => ({
  PATH: `${bin}:/usr/bin:/bin`,
  HOME: home,
  XDG_STATE_HOME: join(home, store),
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
  TZ: "UTC",
  ALLUKA_NOW: now,
  ALLUKA_REDUCED_MOTION: "1"
})
const [full, empty] = [envOf(".local/state"), envOf("elsewhere")]

/** What the claude provider looks for: the file of the conversation that is to go on. */
const conversation = (id) => {
  const path = join(home, ".claude/projects", shop.replace(/[^a-zA-Z0-9]/g, "-"), `${id}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  const line = (type, content) =>
    JSON.stringify({
      type,
      uuid: `${id}-${type}`,
      sessionId: id,
      cwd: shop,
      timestamp: "2026-11-30T22:44:00.000Z",
      message: { role: type, content }
    })
  writeFileSync(path, `${line("user", "Migrate orders to v2 API")}\n${line("assistant", "On it.")}\n`)
}

const frozen = ["--require", here("./frozenClock.cjs"), join(bin, "alluka")]

const alluka = (...args) => execFileSync(join(bin, "node"), [...frozen, ...args], { env: full, cwd: shop })

const tellStory = async () => {
  const teller = spawn(process.execPath, [here("../support/story.mjs"), join(full.XDG_STATE_HOME, "alluka")], {
    env: full,
    stdio: ["pipe", "pipe", "inherit"]
  })
  teller.stdin.write(
    `${JSON.stringify(runs.map((run) => ({ prompt: run.title, ...run, folder: join(home, "src", run.folder ?? "shop") })))}\n`
  )
  for await (const line of createInterface({ input: teller.stdout })) if (line === "told") return teller
  throw new Error("the story could not be told")
}

/** Opens the monitor, does the steps (a text to wait for, `{ gone }`, or `{ keys }`), and takes its picture. */
const take = async (name, title, { columns = 120, rows = 36, env = full, steps }) => {
  const pty = openPty(join(bin, "node"), frozen, {
    name: env.TERM,
    cols: columns,
    rows,
    cwd: shop,
    env
  })
  const view = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 })
  const state = { ended: false, written: 0 }
  const ended = new Promise((resolve) => {
    pty.onExit(resolve)
  })
  pty.onData((data) => {
    state.written += 1
    view.write(data)
  })
  const text = async () => {
    await new Promise((resolve) => view.write("", resolve))
    return Array.from({ length: rows }, (_, row) => view.buffer.active.getLine(row)?.translateToString(true)).join("\n")
  }
  const until = async (what, found) => {
    const deadline = performance.now() + patienceMs
    while (!(await found())) {
      if (performance.now() > deadline) throw new Error(`${name}: ${what} was not shown\n${await text()}`)
      await delay(30)
    }
  }
  for (const step of steps) {
    if (typeof step === "string") await until(step, async () => (await text()).includes(step))
    else if (step instanceof RegExp) await until(String(step), async () => step.test(await text()))
    else if (step.gone !== undefined) await until(`no "${step.gone}"`, async () => !(await text()).includes(step.gone))
    else pty.write(step.keys)
  }
  // Ten looks without a change: nothing more is coming.
  let [before, same] = ["", 0]
  await until("a screen that stands still", async () => {
    const shown = `${state.written} ${await text()}`
    same = shown === before ? same + 1 : 0
    before = shown
    return same >= 10
  })
  writeFileSync(join(pictures, `${name}.svg`), svgOf(view, title))
  pty.kill("SIGTERM")
  await ended
  process.stdout.write(`docs/screens/${name}.svg\n`)
}

mkdirSync(pictures, { recursive: true })
let teller = null
try {
  await take("first", "The first screen of an empty store: how to start, and which providers are installed", {
    columns: 100,
    rows: 24,
    env: empty,
    steps: ["No runs here yet.", "Installed"]
  })
  conversation("9f2c41d0-5e6b-4c3a-8b7d-1a2b3c4d5e6f")
  for (const [prompt, flags] of tasks) alluka("task", "add", prompt, ...flags)
  teller = await tellStory()
  const looked = { gone: "looking at the world" }
  const settled = ["NEEDS ATTENTION", "LIVE", "HISTORY"]
  const migrate = [...settled, { keys: "/" }, /esc clear|s: state/, { keys: "migrate" }, /› . Migrate/, { keys: "\r" }]
  const chosen = [...settled, { keys: "jj" }, /› . Migrate/, "SAME SESSION", looked]
  await take("monitor", "The monitor: runs that need you, live ones, history, and what a resume would do", {
    steps: chosen
  })
  await take("monitor-80x24", "The same in 80 columns", { columns: 80, rows: 24, steps: chosen })
  await take("monitor-60x20", "The same in 60 columns", { columns: 60, rows: 20, steps: chosen })
  await take("resume", "The resume dialog: what goes on, and a follow-up", {
    steps: [
      ...chosen,
      { keys: "r" },
      "[ Resume ]",
      { keys: "Run the tests again before editing anything." },
      "before editing anything."
    ]
  })
  await take("refusal", "A run that cannot simply go on: why, and what a person can do", {
    steps: [...settled, /› . Fix flaky/, "WILL NOT RESUME", looked, { keys: "r" }, "What you can do"]
  })
  await take("log", "The log of a run", { columns: 100, rows: 24, steps: [...chosen, { keys: "l" }, "3 call sites"] })
  await take("help", "All keys, searchable", { steps: [...settled, looked, { keys: "?" }, "type to search"] })
  await take("filter", "A filter, and how many runs it hides", {
    columns: 100,
    rows: 24,
    steps: [...migrate, /runs hidden/]
  })
  await take("tasks", "The task lists", { columns: 100, rows: 24, steps: [...settled, { keys: "t" }, "T-0004"] })
} finally {
  teller?.stdin.end()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
