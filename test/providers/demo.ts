/** The demo agent: the real one, since it is a part of the program; a wrapper notes how it is started. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openWorld, program } from "../support/world.js"
import { after, configure } from "./lines.js"
import type { Plan, Stage, Subject } from "./subject.js"

const paceOf = (plan: Plan): string => {
  switch (plan.do) {
    case "finish":
      return "0"
    case "work":
      return "60000"
    default:
      throw new Error(`the demo agent does not ${plan.do}`)
  }
}

const openDemo = (): Promise<Stage> => {
  const world = openWorld()
  const log = world.path("demo.log")
  const wrapper = join(world.bin, "demo-agent")
  const note = `require("fs").appendFileSync(${JSON.stringify(log)}, JSON.stringify({ argv: process.argv.slice(1), cwd: process.cwd() }) + "\\n")`
  writeFileSync(
    wrapper,
    `#!/bin/sh\n"${process.execPath}" -e '${note}' -- "$@" </dev/null\nexec "${process.execPath}" "${program}" __demo-agent "$@"\n`
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
    plan: (plan) => ({ env: { ALLUKA_DEMO_PACE_MS: paceOf(plan) } }),
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
  announcedAt: 1,
  storedAt: 1,
  points: [],
  storage: { rows: false, file: (world, session) => `${world.store}/demo-sessions/${session}.json` },
  ends: { failure: null, limit: null, auth: null },
  without: ["cut", "babble", "forget", "announce"]
}
