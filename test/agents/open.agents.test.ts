/** A conversation of a real agent, taken over in its own screen on a terminal, and gone on with after it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { expect, test } from "vitest"
import type { CheckpointDocument, Document } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { openTerminal } from "../support/terminal.js"
import { openRig, type RealAgent, type Rig, resumed, streaming } from "./rig.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

/** Answers claude's questions of a first start, of which one needs the network. */
const beenHere = ({ agent, world }: Rig): void => {
  if (agent !== "claude") return
  const path = join(world.home, ".claude.json")
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { projects?: object }) : {}
  writeFileSync(
    path,
    JSON.stringify({
      ...before,
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: ["sk-test-dummy"], rejected: [] },
      projects: { ...before.projects, [world.work]: { hasTrustDialogAccepted: true } }
    })
  )
}

/** What is on the screen, without what moves the cursor about. */
const plain = (output: string): string => output.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "").replaceAll(/\s+/g, "")

test.each<RealAgent>(["claude", "codex"])(
  "%s: its screen shows the conversation, and the run goes on after it",
  async (agent) => {
    const rig = await openRig(agent)
    const { world } = rig
    const run = await streaming(rig)
    run.alluka.kill("SIGTERM")
    await run.alluka.ended()
    beenHere(rig)

    const terminal = openTerminal(world, ["open", run.id], { columns: 120, rows: 40 })
    await eventually(
      async () => {
        await delay(1000)
        if (plain(terminal.output()).includes("countthefilesofthisfolder")) return true
        // Questions of a first start: the folder, the key. The default is yes, or the key was chosen before.
        if (/trust|Do you want|Enter to confirm|Press enter/i.test(plain(terminal.output()))) terminal.write("\r")
        throw new Error(plain(terminal.output()).slice(-600))
      },
      { withinMs: 60_000, what: "the conversation on the screen" }
    )
    expect((await world.json<List>(["runs", "list"])).items[0]).toMatchObject({
      state: "running",
      resumed_from: run.id
    })
    await eventually(
      async () => {
        // claude wants it twice, shortly after each other.
        terminal.write("\u0003")
        await delay(200)
        terminal.write("\u0003")
        return terminal.ended(1500).catch(() => null)
      },
      { withinMs: 30_000, what: "the end of the screen" }
    )
    const [opened] = (await world.json<List>(["runs", "list"])).items
    expect(opened).toMatchObject({
      state: "interrupted",
      reason: { code: "interactive_ended" },
      resumed_from: run.id,
      provider_session: { id: run.providerSession }
    })
    const { request } = await resumed(rig, opened?.id ?? "")
    expect(request.userTexts.filter((text) => text.includes("TASK-ORIGINAL"))).toHaveLength(1)
    expect(request.userTexts.at(-1)).toContain("INSTRUCTION-NEW")
  }
)
