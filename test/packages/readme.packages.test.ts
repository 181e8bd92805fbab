/**
 * What README tells a newcomer to type, typed: in an empty folder, with nothing on PATH but Node, npm, the packed command and
 * one agent program. A command that README shows and nothing here expects fails, and so does an expectation of none.
 */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, inject, test } from "vitest"
import { describeEnd, type Ended } from "../support/command.js"
import type { CheckpointDocument, Document } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { openTerminalWith, type Terminal } from "../support/terminal.js"
import { openWorld, type World } from "../support/world.js"
import { claudeStub } from "../trials/stubs.js"

const consumer = inject("consumer")
const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8")

/** The commands of README's blocks, without what is said about them. */
const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
  block.split("\n").flatMap((each) => {
    const command = each.replace(/\s+#.*$/, "").trim()
    return command === "" ? [] : [command]
  })
)

/** What is not typed here, each with the reason. */
const notTyped: Readonly<Record<string, string>> = {
  "npm ci && npm start": "of a clone, not of an empty folder; the continuous integration begins with them",
  "npm ci && npm test": "the same",
  'alias alluka="node $PWD/apps/cli/dist/alluka.cjs"': "of a clone; here the command is installed by its name"
}

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

/** One newcomer. */
interface Scene {
  readonly world: World
  readonly folder: string
  /** Types a command and waits for its end. */
  readonly type: (command: string, env?: Readonly<Record<string, string>>) => Promise<Ended>
  readonly terminal: (command: string) => Terminal
  readonly ask: <Shape extends Document>(command: string) => Promise<Shape>
}

const openScene = (): Scene => {
  const world = openWorld()
  const folder = world.path("empty")
  mkdirSync(folder)
  rmSync(join(world.bin, "alluka"))
  symlinkSync(join(consumer.prefix, "bin", "alluka"), join(world.bin, "alluka"))
  symlinkSync(join(dirname(process.execPath), "npm"), join(world.bin, "npm"))
  const only = { PATH: world.bin, ALLUKA_DEMO_PACE_MS: "20" }
  const type: Scene["type"] = (command, env = {}) => world.shell(command, { cwd: folder, env: { ...only, ...env } })
  return {
    world,
    folder,
    type,
    terminal: (command) => openTerminalWith(world, ["/bin/bash", "-c", command], { cwd: folder, env: only }),
    ask: async (command) => {
      const ended = await type(`${command} --json`)
      expect(ended.code, describeEnd(ended)).toBe(0)
      return ended.document()
    }
  }
}

const succeeds = async (answer: Promise<Ended>): Promise<Ended> => {
  const ended = await answer
  expect(ended.code, describeEnd(ended)).toBe(0)
  return ended
}

const newest = (scene: Scene): Promise<CheckpointDocument> => scene.ask("alluka runs show latest")

/** What each command does, in the order of README: later ones find what earlier ones left. */
const expectations: Readonly<Record<string, (scene: Scene, command: string) => Promise<void>>> = {
  // "starts a small scripted agent, kills the process that owns it for real, shows the checkpoint as interrupted with its
  // reason, previews the resume, and resumes it to the end"
  "npm start -- demo": async (scene) => {
    const { stdout } = await succeeds(scene.type("alluka demo"))
    const told = [
      /kill -9 \d+/,
      /interrupted +ckpt_\w+ .* the process that owned this run ended unexpectedly/,
      /alluka resume ckpt_\w+ --preview\n.*\n.*SAME SESSION/,
      /✓ completed/
    ].map((part) => stdout.search(part))
    expect(told, stdout).not.toContain(-1)
    expect(told).toEqual([...told].sort((a, b) => a - b))
  },
  'alluka run "fix the failing test"': async (scene, command) => {
    // "the only installed agent, or name one"
    const none = await scene.type(command)
    expect([none.code, none.stderr], describeEnd(none)).toEqual([4, expect.stringContaining("alluka demo")])
    scene.world.stub("claude", { fresh: [...claudeStub.working] })
    const run = scene.terminal(`${command} --model M-1 --thinking high --permission read`)
    await run.shows("claude")
    await eventually(async () => (await newest(scene)).provider_session !== null, { what: "the conversation" })
    // Its terminal is closed, as a laptop is.
    run.close()
    await eventually(async () => (await newest(scene)).state === "interrupted", { what: "its end" })
    expect(scene.world.stubStarts()).toMatchObject([{ stdin: "fix the failing test", cwd: scene.folder }])
  },
  alluka: async (scene, command) => {
    // "the monitor"
    const monitor = scene.terminal(command)
    await monitor.shows("fix the failing test")
    await monitor.shows(/the terminal/)
    monitor.write("q")
    expect((await monitor.ended()).exitCode).toBe(0)
  },
  "alluka runs list": async (scene, command) => {
    // "every run: state, reason, age"
    const { stdout } = await succeeds(scene.type(command))
    expect(stdout).toMatch(/interrupted +ckpt_\w+ +fix the failing test +claude +M-1 +\d+s .*terminal/)
  },
  "alluka runs show latest": async (scene, command) => {
    // "facts, the resume's preview, timeline"
    const { stdout } = await succeeds(scene.type(command))
    for (const part of ["claude", "M-1", scene.folder, "SAME SESSION", "created", "interrupted"]) {
      expect(stdout).toContain(part)
    }
  },
  "alluka resume latest --preview": async (scene, command) => {
    // "what would happen; changes nothing"
    const before = await newest(scene)
    const { stdout } = await succeeds(scene.type(command))
    expect(stdout).toContain("SAME SESSION")
    expect(await newest(scene)).toEqual(before)
    expect(scene.world.stubStarts()).toHaveLength(1)
  },
  'alluka resume latest -p "run the tests first"': async (scene, command) => {
    // "the same conversation, model, thinking level and permission"
    const source = await newest(scene)
    scene.world.stub("claude", { fresh: claudeStub.finished })
    await succeeds(scene.type(command))
    const [first, second] = scene.world.stubStarts()
    expect(second).toMatchObject({ resumed: true, session: source.provider_session?.id, cwd: scene.folder })
    expect(second?.stdin).toContain("run the tests first")
    for (const flag of ["--model", "--effort", "--permission-mode"]) {
      const given = first?.argv[first.argv.indexOf(flag) + 1]
      expect(second?.argv[second.argv.indexOf(flag) + 1], flag).toBe(given)
      expect(first?.argv, flag).toContain(flag)
    }
    expect(await newest(scene)).toMatchObject({ state: "completed", resumed_from: source.id, attempt: 2 })
  },
  "alluka cancel ID": async (scene, command) => {
    const slow = { ALLUKA_DEMO_PACE_MS: "60000" }
    const started = await succeeds(scene.type("alluka run --provider demo --detach -p survey --json", slow))
    const { id } = started.document<CheckpointDocument>()
    // "Ids may be shortened to four characters of their random part"
    await succeeds(scene.type(command.replace("ID", id.replace("ckpt_", "").slice(0, 4))))
    expect(await scene.ask(`alluka runs show ${id}`)).toMatchObject({ state: "cancelled" })
  },
  "alluka import --here": async (scene, command) => {
    // "conversations from outside that stopped in the middle"
    const session = "2a1c7f6e-0000-4000-8000-000000000001"
    const file = scene.world.path("home", ".claude", "projects", "-w", `${session}.jsonl`)
    mkdirSync(dirname(file), { recursive: true })
    const said = { role: "user", content: "water the garden" }
    const timestamp = new Date(Date.now() - 3_600_000).toISOString()
    const row = { sessionId: session, cwd: scene.folder, isSidechain: false, timestamp, type: "user", uuid: "a" }
    writeFileSync(file, `${JSON.stringify({ ...row, message: said })}\n`)
    await succeeds(scene.type(command))
    const { items } = await scene.ask<List>("alluka runs list")
    expect(items.find(({ title }) => title === "water the garden")).toMatchObject({
      ...{ state: "interrupted", origin: "interactive", resumable: true, provider_session: { id: session } }
    })
  },
  "alluka doctor ID": async (scene, command) => {
    // "every fact that a resume depends on"
    const { items } = await scene.ask<List>("alluka runs list")
    const id = items.find(({ title }) => title === "water the garden")?.id ?? ""
    const { stdout } = await succeeds(scene.type(command.replace("ID", id)))
    for (const fact of ["claude", "2a1c7f6e", scene.folder, "resum"]) expect(stdout).toContain(fact)
  }
}

test("every command of README is expected here, and nothing else is", () => {
  expect(commands).toEqual([...new Set(commands)])
  expect([...Object.keys(notTyped), ...Object.keys(expectations)].sort()).toEqual([...commands].sort())
})

test("each command of README does what README says", { timeout: 240_000 }, async () => {
  const scene = openScene()
  for (const command of commands) {
    if (command in notTyped) continue
    try {
      await expectations[command]?.(scene, command)
    } catch (cause) {
      throw new Error(`README's command: ${command}`, { cause })
    }
  }
})
