/** A conversation that the real program held by itself, without Alluka, and that was killed: imported, and gone on with. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { describeEnd, startCommand } from "../support/command.js"
import type { Document } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { signal } from "../support/processes.js"
import { instruction, openRig, type RealAgent, type Rig, settings } from "./rig.js"

const agents: ReadonlyArray<RealAgent> = ["claude", "codex"]

interface Result extends Document {
  readonly items: ReadonlyArray<{ readonly outcome: string; readonly checkpoint_id: string; readonly stopped: string }>
}

const commands: Readonly<Record<RealAgent, ReadonlyArray<string>>> = {
  claude: ["-p", "--model", settings.claude.model, "--effort", settings.claude.thinking],
  codex: ["exec", "--json", "--skip-git-repo-check", "-m", settings.codex.model, "-s", "workspace-write", "-"]
}

/** The session files of the program that hold the task. */
const filesOf = (rig: Rig): ReadonlyArray<string> => {
  const root = join(rig.world.home, rig.agent === "codex" ? ".codex/sessions" : ".claude/projects")
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => join(root, name))
    .filter((path) => path.endsWith(".jsonl") && readFileSync(path, "utf8").includes("TASK-ORIGINAL"))
}

test.each(agents)("%s: a conversation of its own, killed in the middle, goes on under Alluka", async (agent) => {
  const rig = await openRig(agent)
  const program = startCommand("/usr/bin/env", [agent], commands[agent], {
    cwd: rig.world.work,
    env: rig.world.env,
    input: "{{slow}} TASK-ORIGINAL: count the files of this folder."
  })
  await rig.server.waitForRequest((request) => request.userTexts.some((text) => text.includes("TASK-ORIGINAL")))
  const file = await eventually(() => filesOf(rig)[0], { what: "the session file with the task" })
  // The launcher of codex is not codex.
  for (const { pid } of rig.world.running()) signal(pid, "SIGKILL")
  await program.ended()
  // codex leaves no sign of whether it is at work; the conversation is made an hour older than it is.
  if (agent === "codex") {
    const anHourAgo = (moment: string): string => new Date(Date.parse(moment) - 3_600_000).toISOString()
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, anHourAgo))
  }
  const { items } = await rig.world.json<Result>(["import", "--here"])
  expect(items).toMatchObject([{ outcome: "imported", stopped: "the last prompt has no answer" }])
  const resumed = await rig.world.run(["resume", items[0]?.checkpoint_id ?? "", "--json", "-p", instruction])
  expect(resumed.code, describeEnd(resumed)).toBe(0)
  const request = rig.server.requests.at(-1)
  const texts = request?.userTexts.join("\n") ?? ""
  expect(texts.match(/TASK-ORIGINAL/g)).toHaveLength(1)
  expect(texts.match(/INSTRUCTION-NEW/g)).toHaveLength(1)
  expect(request?.model).toBe(settings[agent].model)
})
