/** The demo agent: the real one, since it is a part of the program; a wrapper notes how it is started, and may hold its lines back. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openWorld, program } from "../support/world.js"
import { after, configure } from "./lines.js"
import type { Point } from "./points.js"
import type { Plan, Stage, Subject } from "./subject.js"

const paceOf = (plan: Plan): string => {
  switch (plan.do) {
    case "finish":
      return "0"
    case "work":
      return "60000"
    case "stopAt":
      return "100"
    default:
      throw new Error(`the demo agent does not ${plan.do}`)
  }
}

const holdBack = fileURLToPath(new URL("../support/stub/holdBack.mjs", import.meta.url))

/** How many of its lines are let through before it is held; `null`: all but the last. */
const linesUntil: Readonly<Partial<Record<Point, number | null>>> = {
  silent: 0,
  firstLine: 0,
  opened: 1,
  message: 2,
  tool: 3,
  toolDone: 4,
  midLine: 4,
  exited: null
}

const openDemo = (): Promise<Stage> => {
  const world = openWorld()
  const log = world.path("demo.log")
  const wrapper = join(world.bin, "demo-agent")
  const held = world.path("held.json")
  const note = `require("fs").appendFileSync(${JSON.stringify(log)}, JSON.stringify({ argv: process.argv.slice(1), cwd: process.cwd() }) + "\\n")`
  writeFileSync(
    wrapper,
    `#!/bin/sh\n"${process.execPath}" -e '${note}' -- "$@" </dev/null\nset -- "${process.execPath}" "${program}" __demo-agent "$@"\ntest -e "${held}" && exec "${process.execPath}" "${holdBack}" "${held}" "$@"\nexec "$@"\n`
  )
  chmodSync(wrapper, 0o755)
  configure(world, { demo: { command: wrapper } })
  const starts = () =>
    (existsSync(log) ? readFileSync(log, "utf8") : "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { readonly argv: ReadonlyArray<string>; readonly cwd: string })
  return Promise.resolve({
    world,
    plan: (plan) => {
      if (plan.do === "stopAt") {
        const { go, point, reached } = plan
        const half = point === "firstLine" || point === "midLine"
        const lines = linesUntil[point] ?? null
        writeFileSync(
          held,
          JSON.stringify({ lines, half, reached, go: point === "exited" ? go : null, last: "result" })
        )
      } else rmSync(held, { force: true })
      return { env: { ALLUKA_DEMO_PACE_MS: paceOf(plan) } }
    },
    heard: () =>
      starts().map(({ argv, cwd }) => ({
        // It takes no notice of the prompt.
        prompt: undefined,
        resumed: argv.includes("--resume") || argv.includes("--fork"),
        session: after(argv, "--session-id", "--resume") ?? undefined,
        forkOf: after(argv, "--fork"),
        model: after(argv, "--model"),
        thinking: after(argv, "--thinking"),
        permission: undefined,
        cwd
      }))
  })
}

export const demoSubject: Subject = {
  id: "demo",
  label: "demo",
  open: openDemo,
  announcedAt: "opened",
  // On the disk before it is announced.
  storedAt: "silent",
  lacking: {},
  lastWord: "success",
  storage: { rows: false, file: (world, session) => `${world.store}/demo-sessions/${session}.json` },
  ends: { failure: null, limit: null, auth: null },
  without: ["cut", "babble", "forget", "announce"]
}
