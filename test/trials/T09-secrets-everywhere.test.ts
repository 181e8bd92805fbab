/** T09: secrets, wherever they come from, are in nothing that Alluka writes or prints; the agent still gets its prompt. */
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { describeEnd, type Ended } from "../support/command.js"
import { exit, type Steps, stderr, stdout, wait } from "../support/stub/script.js"
import { openTerminal } from "../support/terminal.js"
import { openWorld, type World } from "../support/world.js"
import { endedCheckpoint } from "./runs.js"
import { claudeStub, stubs } from "./stubs.js"

/** Made-up keys in the forms of real ones, put together here so that no scanner takes this file for a leak. */
const letters = (count: number, seed: string): string =>
  Array.from(
    { length: count },
    (_, index) =>
      "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"[
        (index * 7 + seed.length * 13 + seed.charCodeAt(index % seed.length)) % 56
      ]
  ).join("")
const key = (prefix: string, count: number, seed: string): string => `${prefix}${letters(count, seed)}`

const secrets = {
  anthropic: key("sk-ant-api03-", 95, "anthropic"),
  openai: key("sk-proj-", 60, "openai"),
  github: key("ghp_", 36, "github"),
  aws: `AKIA${letters(16, "aws").toUpperCase()}`,
  pem: `-----BEGIN ${"PRIVATE"} KEY-----\n${letters(64, "pem")}\n${letters(64, "pem2")}\n-----END ${"PRIVATE"} KEY-----`,
  database: `postgres://u:${letters(20, "database")}@h/db`,
  bearer: `Authorization: Bearer ${letters(40, "bearer")}`,
  environment: "plainwordsonly.but-a-token"
} as const

/** The part of each that must not be found. */
const needles: ReadonlyArray<string> = [
  secrets.anthropic,
  secrets.openai,
  secrets.github,
  secrets.aws,
  ...secrets.pem.split("\n").slice(1, -1),
  secrets.database.slice("postgres://u:".length, -"@h/db".length),
  secrets.bearer.slice("Authorization: Bearer ".length),
  secrets.environment
]

const all = Object.values(secrets).join("\n")
const harmless = "sk-learn, commit 3f786850e387550fdab836ed7e6dc881de23001b, id 6f9619ff-8b86-4d01-b42d-00cf4fc964ff"

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())

/** Looks in a text as `grep -a` would, and in its JSON-escaped form. */
const found = (text: string, wanted: ReadonlyArray<string>): ReadonlyArray<string> =>
  wanted.filter((needle) => text.includes(needle))

const expectClean = (what: string, text: string, wanted: ReadonlyArray<string> = needles): void => {
  expect(
    found(text, wanted).map((needle) => needle.slice(0, 16)),
    `${what} holds secrets`
  ).toEqual([])
}

const expectCleanEnd = (ended: Ended, wanted: ReadonlyArray<string> = needles): void => {
  expectClean(`stdout of ${ended.args.join(" ").slice(0, 60)}`, ended.stdout, wanted)
  expectClean(`stderr of ${ended.args.join(" ").slice(0, 60)}`, ended.stderr, wanted)
}

const env = { MY_SERVICE_TOKEN: secrets.environment }

/** Everything that Alluka keeps: database with its side files, output, logs, crash files. */
const expectCleanDisk = (world: World, wanted: ReadonlyArray<string> = needles): void => {
  const files = filesBelow(world.store)
  expect(files.some((file) => file.endsWith("alluka.db"))).toBe(true)
  for (const file of [...files, ...filesBelow(world.home)]) expectClean(file, readFileSync(file, "latin1"), wanted)
}

/** Prints a text in two writes, so that it is read in two pieces. */
const inTwo = (text: string, write: (part: string) => Steps[number]): Steps => {
  const middle = Math.floor(text.length / 2)
  return [write(text.slice(0, middle)), wait(120), write(text.slice(middle))]
}

describe.each(stubs)("$name", (provider) => {
  test("prompt, follow-up, output, errors and the reason of a failure", async () => {
    const world = openWorld({ env })
    const coloured = `${secrets.github.slice(0, 20)}\u001b[31m${secrets.github.slice(20)}`
    const spoken = provider.message(`all of them: ${all}\ncoloured: ${coloured}`)
    if (!("out" in spoken)) throw new Error("a message is output")
    world.stub(provider.name, {
      fresh: [
        ...provider.opening,
        ...inTwo(spoken.out, stdout),
        ...inTwo(`warning: ${secrets.openai} and ${all}\n`, stderr),
        stderr(`coloured ${coloured}\n`),
        stderr(`fatal: request with ${secrets.bearer} failed, ${secrets.aws}\n`),
        exit(1)
      ]
    })
    const prompt = `use these: ${all}\n${harmless}`
    const first = await world.run(["run", "--json", "--provider", provider.name, "-p", prompt])
    expect(first.code, describeEnd(first)).toBe(7)
    expectCleanEnd(first)
    const checkpoint = await endedCheckpoint(world, first)
    expect(checkpoint).toMatchObject({ state: "failed", prompt_redacted: true })
    expect(checkpoint.prompt).toContain(harmless)

    const followUp = `and again: ${all}`
    const second = await world.run(["resume", checkpoint.id, "--json", "-p", followUp])
    expectCleanEnd(second)
    const third = await world.run(["run", "--provider", provider.name, "-p", prompt])
    expectCleanEnd(third)

    for (const args of [
      ["runs", "list"],
      ["runs", "list", "--json"],
      ["runs", "show", checkpoint.id, "--events"],
      ["runs", "show", checkpoint.id, "--json"],
      ["runs", "list", "--search", secrets.github],
      ["resume", checkpoint.id, "--preview"]
    ]) {
      expectCleanEnd(await world.run(args))
    }
    expectCleanDisk(world)

    const [firstCall, secondCall] = world.stubStarts()
    expect(firstCall?.stdin).toBe(prompt)
    expect(secondCall?.stdin).toContain(followUp)
    expectClean(
      "the agent's arguments",
      world
        .stubStarts()
        .flatMap((call) => call.argv)
        .join("\n")
    )
  })

  test("the name of the folder is shown nowhere, and a resume still finds it", async () => {
    const world = openWorld({ env })
    const folder = world.path(`work-${secrets.github}`)
    mkdirSync(folder)
    world.stub(provider.name, {
      fresh: [...provider.opening, provider.message("hello from $CWD"), exit(1)],
      resume: provider.finished
    })
    const first = await world.run(["run", "--json", "--provider", provider.name, "-p", "task"], { cwd: folder })
    expectCleanEnd(first)
    const { id } = await endedCheckpoint(world, first)
    for (const args of [
      ["runs", "list", "--json"],
      ["runs", "show", id],
      ["runs", "show", id, "--json"],
      ["resume", id, "--preview"]
    ]) {
      expectCleanEnd(await world.run(args))
    }
    const second = await world.run(["resume", id, "--json"])
    expect(second.code, describeEnd(second)).toBe(0)
    expectCleanEnd(second)
    expect(world.stubStarts().at(-1)?.cwd).toBe(folder)
    for (const file of filesBelow(world.store).filter((one) => !/alluka\.db/.test(one))) {
      expectClean(file, readFileSync(file, "latin1"))
    }
  })
})

test.each([["--no-such-flag", secrets.openai], [`--no-such-flag=${secrets.openai}`]])(
  "an unknown flag's value is not echoed (%s)",
  async (...flag) => {
    const world = openWorld({ env })
    const ended = await world.run(["run", "--provider", "claude", ...flag, "-p", "task"])
    expect(ended.code, describeEnd(ended)).toBe(2)
    expectCleanEnd(ended)
    const asJson = await world.run(["run", "--json", "--provider", "claude", ...flag, "-p", "task"])
    expect(asJson.code).toBe(2)
    expectCleanEnd(asJson)
  }
)

test("the monitor's screen holds none of them", async () => {
  const world = openWorld({ env })
  const provider = claudeStub
  world.stub(provider.name, { fresh: [...provider.opening, provider.message(all), stderr(`${all}\n`), exit(1)] })
  await world.run([
    "run",
    "--json",
    "--provider",
    provider.name,
    "--title",
    `title ${secrets.github}`,
    "-p",
    `task ${all}`
  ])
  const terminal = openTerminal(world, [], { columns: 220, rows: 50 })
  await terminal.shows("title")
  terminal.write("\r")
  await terminal.shows(/failed/)
  expectClean("the screen", terminal.output())
  terminal.write("q")
  terminal.close()
})
