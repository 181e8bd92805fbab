/** Nothing starts when the checkpoint cannot be written. A locked store is trial T12. */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document, ErrorDocument } from "../support/documents.js"
import { openWorld, type World } from "../support/world.js"
import { interrupted } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

const mount = (target: string, options: string): void => {
  mkdirSync(target, { recursive: true })
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "none", target], { stdio: "pipe" })
  onTestFinished(() => {
    execFileSync("umount", ["-l", target])
  })
}

/** Only root can mount a file system of its own, and not in every container. */
const canMount = ((): boolean => {
  if (process.getuid?.() !== 0 || process.platform !== "linux") return false
  const probe = `/tmp/alluka-mount-probe-${process.pid}`
  try {
    mkdirSync(probe)
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", probe], { stdio: "pipe" })
    execFileSync("umount", [probe])
    return true
  } catch {
    return false
  }
})()

const expectNothingStarted = async (
  world: World,
  args: ReadonlyArray<string>,
  code: RegExp,
  env: Readonly<Record<string, string>> = {}
): Promise<void> => {
  const before = world.stubStarts().length
  const ended = await world.run(args, { env })
  expect(ended.code, describeEnd(ended)).toBe(1)
  expect(ended.error<ErrorDocument & Document>().code).toMatch(code)
  expect(ended.stdout, describeEnd(ended)).not.toContain('"created"')
  expect(world.stubStarts()).toHaveLength(before)
  expect(world.marked()).toEqual([])
}

const runArgs = ["run", "--json", "--provider", provider.name, "-p", "task"]

test.runIf(canMount)("a full disk: run and resume start nothing and say so", async () => {
  const world = openWorld()
  mount(world.store, "size=2m,mode=700")
  const source = await interrupted(world, provider)
  world.stub(provider.name, { fresh: provider.finished })
  const { bavail, bsize } = statfsSync(world.store)
  writeFileSync(join(world.store, "filler"), Buffer.alloc(bavail * bsize))
  await expectNothingStarted(world, runArgs, /disk_full/)
  await expectNothingStarted(world, ["resume", source.id, "--json", "-p", "go on"], /disk_full/)
  // What was stored is still readable.
  const listed = await world.run(["runs", "list", "--json"])
  expect(listed.code, describeEnd(listed)).toBe(0)
  expect(listed.document<List>().items).toMatchObject([{ id: source.id, state: "interrupted" }])
})

test.runIf(canMount)("a read-only disk: run and resume start nothing; lists, show and preview work", async () => {
  const world = openWorld()
  mount(world.store, "size=8m,mode=700")
  const source = await interrupted(world, provider)
  execFileSync("mount", ["-o", "remount,ro", world.store])
  world.stub(provider.name, { fresh: provider.finished })
  await expectNothingStarted(world, runArgs, /read_only/)
  await expectNothingStarted(world, ["resume", source.id, "--json", "-p", "go on"], /read_only/)
  for (const args of [
    ["runs", "list", "--json"],
    ["runs", "show", source.id, "--json"],
    ["resume", source.id, "--preview", "--json"]
  ]) {
    const ended = await world.run(args)
    expect(ended.code, describeEnd(ended)).toBe(0)
  }
})

test.skipIf(process.getuid?.() === 0)("a folder without write permission: nothing starts", async () => {
  const world = openWorld()
  chmodSync(world.store, 0o500)
  onTestFinished(() => chmodSync(world.store, 0o700))
  world.stub(provider.name, { fresh: provider.finished })
  await expectNothingStarted(world, runArgs, /read_only|not_accessible/)
})

test("the same for a user who may not write there", async () => {
  if (process.getuid?.() !== 0) return
  const world = openWorld({ asUser: 65534 })
  chmodSync(world.store, 0o500)
  world.stub(provider.name, { fresh: provider.finished })
  await expectNothingStarted(world, runArgs, /read_only|not_accessible/)
})

test("a file where the store's folder should be: nothing starts", async () => {
  const world = openWorld()
  const file = world.path("a-file")
  writeFileSync(file, "")
  world.stub(provider.name, { fresh: provider.finished })
  await expectNothingStarted(world, runArgs, /not_accessible|unsafe_folder|io/, { ALLUKA_HOME: join(file, "store") })
})

test("a store of a newer program is left as it is", async () => {
  const world = openWorld()
  await world.run(["runs", "list", "--json"])
  const file = join(world.store, "alluka.db")
  expect(existsSync(file)).toBe(true)
  const { default: Database } = await import("better-sqlite3")
  const database = new Database(file)
  database.pragma("user_version = 9999")
  database.close()
  world.stub(provider.name, { fresh: provider.finished })
  await expectNothingStarted(world, runArgs, /store_newer/)
  const reopened = new Database(file, { readonly: true })
  expect(reopened.pragma("user_version", { simple: true })).toBe(9999)
  reopened.close()
})
