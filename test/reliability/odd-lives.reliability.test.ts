/** Long and odd lives of a run: each ends in a true state, with a clear message, and without a stack trace. */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { expect, onTestFinished, test } from "vitest"
import { describeEnd, type Running } from "../support/command.js"
import type { Document, ErrorDocument, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { exit, flood, forever, type Steps, stdout, until } from "../support/stub/script.js"
import { openTerminal } from "../support/terminal.js"
import { openWorld, type World } from "../support/world.js"
import { started, summaryOf, task } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"
import { full, size } from "./size.js"

const asRoot = process.getuid?.() === 0
const nobody = 65_534

const runArgs = ["run", "--json", "--provider", provider.name, "-p", task]

/** The most memory that a process has had so far, MiB. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

/** Begins as usual, then these steps, then waits to be measured, and succeeds. */
const lifeWith = (world: World, steps: Steps): string => {
  const gate = world.path("gate")
  world.stub(provider.name, {
    fresh: [
      ...provider.opening,
      provider.message("before"),
      ...steps,
      provider.message("after"),
      until(gate),
      provider.success,
      exit(0)
    ]
  })
  return gate
}

const messages = (run: Running): number => run.stdout().split('"kind":"message"').length - 1

test.runIf(process.platform === "linux")(
  "a line of hundreds of megabytes is skipped and counted, in little memory",
  async () => {
    const world = openWorld()
    const bytes = size({ short: 64, full: 300 }) * 1024 * 1024
    const gate = lifeWith(world, [flood("out", bytes, false), stdout("\n")])
    const run = world.start(runArgs)
    await eventually(() => messages(run) === 2, { withinMs: 120_000, what: "the message after the line" })
    const peak = peakOf(run.pid)
    world.touch(gate)
    const ended = await run.ended()
    expect(ended.code, describeEnd(ended)).toBe(0)
    const shown = await world.show(summaryOf(ended).checkpoint_id ?? "")
    expect(shown).toMatchObject({ state: "completed", stream: { oversize: 1 } })
    process.stderr.write(`a line of ${bytes / 1024 / 1024} MiB: peak memory ${Math.round(peak)} MiB\n`)
    expect(peak).toBeLessThan(300)
  },
  300_000
)

test.runIf(process.platform === "linux")(
  "a flood on stderr is neither kept nor in the way",
  async () => {
    const world = openWorld()
    const bytes = size({ short: 64, full: 1024 }) * 1024 * 1024
    const gate = lifeWith(world, [flood("err", bytes, true)])
    const run = world.start(runArgs)
    await eventually(() => messages(run) === 2, { withinMs: 240_000, what: "the message after the flood" })
    const peak = peakOf(run.pid)
    world.touch(gate)
    const ended = await run.ended()
    expect(ended.code, describeEnd(ended)).toBe(0)
    const id = summaryOf(ended).checkpoint_id ?? ""
    expect(await world.show(id)).toMatchObject({ state: "completed" })
    const kept = readdirSync(join(world.store, "output"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
    process.stderr.write(
      `${bytes / 1024 / 1024} MiB of stderr: peak memory ${Math.round(peak)} MiB, ${kept} bytes kept\n`
    )
    expect(peak).toBeLessThan(300)
    expect(kept).toBeLessThanOrEqual(8 * 1024 * 1024)
  },
  400_000
)

test("the terminal is closed: interrupted as that, nothing left, and it can be resumed", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.working })
  const terminal = openTerminal(world, ["run", "--provider", provider.name, "-p", task])
  const stub = await world.stubStart(1)
  await terminal.shows("Still working.", 30_000)
  // Said once, while it could still be changed.
  expect(terminal.output()).toContain("--detach")
  terminal.close()
  const id = stub.run ?? ""
  await world.noneMarked(id, 20_000)
  const shown = await eventually(async () => {
    const now = await world.show(id)
    return now.state === "running" ? null : now
  })
  expect(shown).toMatchObject({ state: "interrupted", reason: { code: "terminal_closed" }, resumable: true })
})

test("Ctrl-C twice: an agent that will not end is killed, the run is cancelled, exit 130", async () => {
  const world = openWorld()
  world.stub(provider.name, {
    fresh: [
      ...provider.opening,
      provider.message("busy"),
      { grandchild: { seconds: 300 } },
      { ignore: ["SIGINT", "SIGTERM", "SIGHUP"] },
      provider.message("stubborn"),
      forever
    ]
  })
  const run = world.start(runArgs)
  const { checkpoint_id: id } = await run.event<StreamLine>("created")
  await eventually(() => messages(run) === 2, { what: "a stubborn agent" })
  run.kill("SIGINT")
  await delay(200)
  const second = performance.now()
  run.kill("SIGINT")
  const ended = await run.ended()
  expect(ended.code, describeEnd(ended)).toBe(130)
  // At once: the grace of the first one is not waited for.
  expect(performance.now() - second).toBeLessThan(5000)
  expect(summaryOf(ended)).toMatchObject({ state: "cancelled", exit_code: 130 })
  await world.noneMarked(id ?? "")
})

test("the machine sleeps: neither a stall nor a lost owner, and the run goes on", async () => {
  const world = openWorld()
  const gate = world.path("gate")
  world.stub(provider.name, {
    fresh: [...provider.opening, provider.message("one"), until(gate), provider.success, exit(0)]
  })
  const run = await started(world, provider.name, ["--idle-timeout", "4s"])
  await run.alluka.event("message")
  // Everything of it stops at once, as it does when the machine sleeps, for longer than the idle limit.
  for (const { pid } of world.running()) process.kill(pid, "SIGSTOP")
  await delay(6000)
  for (const { pid } of world.running()) process.kill(pid, "SIGCONT")
  world.touch(gate)
  const ended = await run.alluka.ended()
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(await world.show(run.id)).toMatchObject({ state: "completed" })
})

test("HOME is not set: a named data folder is enough; without one it is said what to do", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.finished })
  const env = { HOME: undefined, XDG_STATE_HOME: undefined, XDG_CONFIG_HOME: undefined }
  const ended = await world.run(runArgs, { env })
  expect(ended.code, describeEnd(ended)).toBe(0)
  if (!asRoot) return
  const homeless = openWorld({ asUser: 54_321 })
  const lost = await homeless.run(["runs", "list", "--json"], { env: { ...env, ALLUKA_HOME: undefined } })
  expect(lost.code, describeEnd(lost)).toBe(1)
  expect(lost.error<ErrorDocument & Document>()).toMatchObject({ code: "no_home" })
  expect(lost.stdout).toBe("")
})

test.runIf(asRoot)("two users: neither reads, writes nor takes over the other's runs", async () => {
  const world = openWorld({ asUser: nobody })
  world.stub(provider.name, { fresh: provider.finished })
  const first = await world.run(runArgs)
  expect(first.code, describeEnd(first)).toBe(0)
  const other = openWorld({ asUser: nobody - 1 })
  chmodSync(world.folder, 0o755)
  for (const args of [["runs", "list", "--json"], runArgs]) {
    const turnedAway = await other.run(args, { env: { ALLUKA_HOME: world.store } })
    expect(turnedAway.code, describeEnd(turnedAway)).toBe(1)
    expect(turnedAway.error<ErrorDocument & Document>().code).toMatch(/not_accessible|unsafe_folder/)
    expect(turnedAway.stdout).toBe("")
  }
  // Nor where the folder was opened to everybody, or is another's: then it is not trusted at all.
  chmodSync(world.store, 0o777)
  const open = await other.run(["runs", "list", "--json"], { env: { ALLUKA_HOME: world.store } })
  expect(open.error<ErrorDocument & Document>().code).toBe("store_unsafe_folder")
  chmodSync(world.store, 0o700)
  const root = openWorld()
  const elsewhere = await root.run(["runs", "list", "--json"], { env: { ALLUKA_HOME: world.store } })
  expect(elsewhere.error<ErrorDocument & Document>().code).toBe("store_unsafe_folder")
})

test("umask 000: everything in the data folder is its owner's alone", async () => {
  const world = openWorld()
  rmSync(world.store, { recursive: true })
  world.stub(provider.name, { fresh: [...provider.opening, provider.message("hello"), provider.success, exit(0)] })
  const ended = await world.shell(
    `umask 000; alluka run --provider ${provider.name} -p task; alluka demo -y; alluka runs list`
  )
  expect(ended.stdout, describeEnd(ended)).toContain("completed")
  const all = [".", ...readdirSync(world.store, { recursive: true, encoding: "utf8" })]
  expect(all.length).toBeGreaterThan(5)
  const open = all.filter((name) => (statSync(join(world.store, name)).mode & 0o077) !== 0)
  expect(open).toEqual([])
}, 120_000)

const mounted = (target: string): boolean => {
  try {
    mkdirSync(target, { recursive: true })
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m,mode=700", "none", target], { stdio: "pipe" })
    onTestFinished(() => {
      execFileSync("umount", ["-l", target])
    })
    return true
  } catch {
    return false
  }
}

/** Leaves no byte free. */
const fill = (folder: string): void => {
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(join(folder, "filler"), Buffer.alloc(bavail * bsize))
}

test.runIf(asRoot)(
  "the disk is full in mid-run: it says so once, and everything is stored when there is room",
  async () => {
    const world = openWorld()
    if (!mounted(world.store)) return
    const gate = world.path("gate")
    world.stub(provider.name, {
      fresh: [
        ...provider.opening,
        provider.message("one"),
        until(gate),
        ...Array.from({ length: 200 }, (_, index) => provider.message(`${"long ".repeat(200)}${index}`)),
        provider.success,
        exit(0)
      ]
    })
    const run = await started(world, provider.name)
    await run.alluka.event("message")
    fill(world.store)
    world.touch(gate)
    await eventually(() => run.alluka.stderr().includes("disk_full"), { what: "a word about the full disk" })
    rmSync(join(world.store, "filler"))
    const ended = await run.alluka.ended(60_000)
    const shown = await world.show(run.id)
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(shown).toMatchObject({ state: "completed" })
  }
)

// A minute: so long is room waited for.
test.runIf(asRoot && full)(
  "the disk stays full to the end: the run says that its end is not stored, and the next program tells the truth",
  async () => {
    const world = openWorld()
    if (!mounted(world.store)) return
    const gate = world.path("gate")
    world.stub(provider.name, {
      fresh: [...provider.opening, provider.message("one"), until(gate), provider.success, exit(0)]
    })
    const run = await started(world, provider.name)
    await run.alluka.event("message")
    fill(world.store)
    world.touch(gate)
    const ended = await run.alluka.ended(120_000)
    expect(ended.code, describeEnd(ended)).toBe(1)
    expect(ended.error<ErrorDocument & Document>()).toMatchObject({ code: "store_disk_full" })
    rmSync(join(world.store, "filler"))
    // What it had said is on nobody's record: its owner is gone, and it did not get to store an end.
    expect(await world.show(run.id)).toMatchObject({ state: "interrupted", reason: { code: "owner_lost" } })
    await world.noneMarked(run.id)
  }
)
