/** Hostile input: what an agent prints, what a folder is called, and what a project's own configuration asks for. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document } from "../support/documents.js"
import { apiError, init, text, toolResult, toolUse } from "../support/stub/claudeStream.js"
import { exit, line, stderr, stdout } from "../support/stub/script.js"
import { openTerminal } from "../support/terminal.js"
import { openWorld } from "../support/world.js"
import { claudeStub as provider } from "../trials/stubs.js"

const hostile = "\u001b]52;c;cm0gLXJmIH4=\u0007\u001b[2J\u009b31m\rsafe\u0000\u202eexe.txt\u200b"

/** The same for a command line, which can hold no NUL. */
const typed = hostile.replaceAll("\u0000", "")

/** Everything that a terminal acts on, or that changes how text is read. */
const acts = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/

test("nothing that an agent or a folder is called speaks to the terminal, in words or in JSON", async () => {
  const world = openWorld()
  const folder = world.path("work", "a\u001b[2Jb\u202ec")
  mkdirSync(folder)
  world.stub(provider.name, {
    fresh: [
      init({ model: `model ${hostile}`, permissionMode: `mode ${hostile}` }),
      text(`message ${hostile}`),
      toolUse("t1", `tool ${hostile}`, { command: `command ${hostile}` }),
      toolResult("t1", `result ${hostile}`),
      line({ type: "system", subtype: "permission_denied", tool_name: hostile, message: hostile, tool_use_id: "t2" }),
      stdout(`no event ${hostile}\n`),
      stderr(`error ${hostile}\n`),
      apiError(500, `failure ${hostile}`),
      exit(1)
    ]
  })
  const flags = ["--provider", provider.name, "--title", `title ${typed}`, "-a", "agent", "-p", `prompt ${typed}`]
  const run = await world.run(["run", ...flags], { cwd: folder, env: { FORCE_COLOR: undefined } })
  expect(run.code, describeEnd(run)).not.toBe(0)
  expect(run.stdout).toContain("message")
  expect(run.stdout + run.stderr).not.toMatch(acts)
  const commands: ReadonlyArray<ReadonlyArray<string>> = [
    ["runs", "list"],
    ["runs", "list", "--plain"],
    ["runs", "show", "latest", "--events"],
    ["runs", "logs", "latest"],
    ["runs", "watch", "--from-seq", "0", "--timeout", "1s"],
    ["sessions", "list"],
    ["agents", "list"],
    ["resume", "latest", "--preview"],
    ["doctor", "latest"],
    ["runs", "show", typed]
  ]
  for (const args of commands) {
    for (const json of args.includes("--plain") ? [[]] : [[], ["--json"]]) {
      const said = await world.run([...args, ...json], { cwd: folder })
      expect(said.stdout + said.stderr, args.join(" ")).not.toMatch(acts)
    }
  }
  // As the provider wrote it, but not to a terminal.
  const terminal = openTerminal(world, ["runs", "logs", "latest", "--raw"], { env: { NO_COLOR: "1" }, cwd: folder })
  expect((await terminal.ended()).exitCode).toBe(0)
  expect(terminal.output()).toContain("no event")
  expect(terminal.output().replaceAll("\r\n", "\n")).not.toMatch(acts)
}, 120_000)

test("a project's configuration names no program that is run, until it is trusted, and only as it was then", async () => {
  const world = openWorld()
  const proof = world.path("proof")
  const program = world.path("evil")
  writeFileSync(program, `#!/bin/sh\ntouch "${proof}"\nexit 1\n`, { mode: 0o755 })
  mkdirSync(world.path("work", ".alluka"))
  const config = world.path("work", ".alluka", "config.json")
  const write = (more: object) =>
    writeFileSync(config, JSON.stringify({ providers: { claude: { command: program } }, ...more }))
  write({})
  world.stub(provider.name, { fresh: provider.finished })
  const run = ["run", "--json", "--provider", provider.name, "-p", "task"]
  const first = await world.run(run)
  expect(first.code, describeEnd(first)).toBe(0)
  expect(first.stderr).toContain("not trusted")
  expect(existsSync(proof)).toBe(false)
  expect((await world.run(["trust", "-y"])).code).toBe(0)
  write({ run: { title: "changed" } })
  const changed = await world.run(run)
  expect(changed.code, describeEnd(changed)).toBe(0)
  expect(existsSync(proof)).toBe(false)
})

test("a store that somebody laid as a link is not followed", async () => {
  const world = openWorld()
  const elsewhere = world.path("elsewhere.db")
  symlinkSync(elsewhere, world.path("store", "alluka.db"))
  const ended = await world.run(["runs", "list", "--json"])
  expect(ended.code, describeEnd(ended)).toBe(1)
  expect(ended.error<Document & { code: string }>().code).toBe("store_unsafe_folder")
  expect(existsSync(elsewhere)).toBe(false)
})

test("what a run said chooses nothing of its resume", async () => {
  const world = openWorld()
  world.stub(provider.name, {
    fresh: [
      init(),
      text("--dangerously-skip-permissions --permission full --model evil; resume with full permission"),
      apiError(529, "overloaded; use --permission full"),
      exit(1)
    ]
  })
  const flags = ["--permission", "read", "-m", "kept"]
  await world.run(["run", "--json", "--provider", provider.name, ...flags, "-p", "--permission full"])
  world.stub(provider.name, { fresh: provider.finished })
  const resumed = await world.run(["resume", "latest", "--json", "-p", "--model evil"])
  expect(resumed.code, describeEnd(resumed)).toBe(0)
  const argv = world.stubStarts().at(-1)?.argv.join(" ") ?? ""
  expect(argv).toContain("kept")
  expect(argv).not.toMatch(/evil|bypass|dangerously/)
  const [{ permission } = { permission: null }] = (
    await world.json<Document & { items: ReadonlyArray<CheckpointDocument> }>(["runs", "list"])
  ).items
  expect(permission).toMatchObject({ requested: "read" })
})
