/** A conversation of a real agent, taken over in its own screen on a terminal, and gone on with after it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { type AgentName, chosenAgents } from "../support/agents/catalogue.js"
import type { CheckpointDocument, Document, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { openTerminal } from "../support/terminal.js"
import { expectWentOn, ofTask, resume, start, useBefore } from "./otherRuns.js"
import { first, type OtherRig, openOther, others } from "./others.js"
import { task } from "./rig.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

/** Puts fields into a JSON file of the home folder. */
const amend = ({ world }: OtherRig, name: string, fields: (before: object) => object): void => {
  const path = join(world.home, name)
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as object) : {}
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify({ ...before, ...fields(before) }))
}

/** The screen of an agent: what answers its questions of a first start, and how a person leaves it. */
interface Screen {
  readonly prepare?: (rig: OtherRig) => void
  readonly questions: RegExp
  readonly leave: ReadonlyArray<string>
}

const twice = ["\u0003", "\u0003"]

const screens: Readonly<Partial<Record<AgentName, Screen>>> = {
  claude: {
    // One of its questions needs the network.
    prepare: (rig) =>
      amend(rig, ".claude.json", (before) => ({
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: ["sk-test-dummy"], rejected: [] },
        projects: {
          ...(before as { projects?: object }).projects,
          [rig.world.work]: { hasTrustDialogAccepted: true }
        }
      })),
    questions: /trust|Doyouwant|Entertoconfirm|Pressenter/i,
    leave: twice
  },
  codex: { questions: /trust|Doyouwant|Entertoconfirm|Pressenter/i, leave: twice },
  opencode: { questions: /Pressenter/i, leave: twice },
  gemini: { questions: /Doyoutrust|Pressenter/i, leave: twice },
  pi: { questions: /Pressenter/i, leave: twice },
  "pi-0.73": { questions: /Pressenter/i, leave: twice },
  kimi: { questions: /Trustthisfolder|Pressenter/i, leave: twice }
}

/** What is on the screen, without what moves the cursor about, and without space. */
const plain = (output: string): string =>
  output
    .replaceAll(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, "")
    .replaceAll(/\u001b[[(][0-9;?]*[ -/]*[@-~]?/g, "")
    .replaceAll(/\s+/g, "")

const chosen = chosenAgents(process.env.ALLUKA_TEST_AGENTS)
const mine = [...first, ...others].filter(({ agent }) => chosen.includes(agent) && screens[agent] !== undefined)

describe.each(mine)("$agent", (agent) => {
  const screen = screens[agent.agent]
  if (screen === undefined) throw new Error(`no screen of ${agent.agent}`)

  test("its screen shows the conversation, and the run goes on after it", { timeout: 180_000 }, async () => {
    const rig = await openOther(agent)
    const { server, world } = rig
    await useBefore(agent, rig)
    const alluka = start(agent, rig, `${task} ${agent.working}`)
    const { checkpoint_id: id } = await alluka.event<StreamLine>("created")
    await alluka.event("provider_session", 90_000)
    const enough = agent.working.includes("loop") ? 3 : 1
    await eventually(() => ofTask(agent, rig).length >= enough, { what: "the model's part", withinMs: 60_000 })
    await delay(1500)
    alluka.kill("SIGTERM")
    await alluka.ended()
    const source = await world.show(id ?? "")
    screen.prepare?.(rig)

    const terminal = openTerminal(world, ["open", source.id], { columns: 120, rows: 40 })
    await eventually(
      async () => {
        await delay(1000)
        const seen = plain(terminal.output())
        if (seen.includes("countthefilesofthisfolder")) return true
        // Questions of a first start: the folder, the key. The default is yes, or the key was chosen before.
        if (screen.questions.test(seen.slice(-2000))) terminal.write("\r")
        throw new Error(seen.slice(-1500))
      },
      { withinMs: 60_000, what: "the conversation on the screen" }
    )
    expect((await world.json<List>(["runs", "list"])).items[0]).toMatchObject({
      state: "running",
      resumed_from: source.id
    })
    await eventually(
      async () => {
        for (const keys of screen.leave) {
          terminal.write(keys)
          await delay(200)
        }
        const ended = await terminal.ended(2500).catch(() => null)
        if (ended === null) throw new Error(plain(terminal.output()).slice(-600))
        return ended
      },
      { withinMs: 40_000, what: "the end of the screen" }
    )
    const [opened] = (await world.json<List>(["runs", "list"])).items
    expect(opened).toMatchObject({
      state: "interrupted",
      reason: { code: "interactive_ended" },
      resumed_from: source.id,
      provider_session: { id: source.provider_session?.id }
    })
    if (opened === undefined) throw new Error("the run of the screen is not listed")
    const requests = server.requests.length
    await expectWentOn(agent, rig, { ended: await resume(rig, opened.id), requests, stopped: opened, attempt: 3 })
  })
})
