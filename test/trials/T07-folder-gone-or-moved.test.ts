/** T07: the folder of a run is gone, moved, replaced or locked; nothing is guessed. */
import { chmodSync, chownSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument } from "../support/documents.js"
import { openWorld, type World } from "../support/world.js"
import { decisionOf, endedCheckpoint, interrupted, resume } from "./runs.js"
import { claudeStub, type StubProvider, stubs } from "./stubs.js"

interface Moved {
  readonly world: World
  readonly folder: string
  readonly source: CheckpointDocument
}

const ranInFolder = async (provider: StubProvider): Promise<Moved> => {
  const world = openWorld()
  const folder = world.path("a")
  mkdirSync(folder)
  const source = await interrupted(world, provider, [], { cwd: folder })
  world.stub(provider.name, { fresh: provider.finished })
  return { world, folder, source }
}

const expectRefused = async (
  { world, folder, source }: Moved,
  reason: string,
  flags: ReadonlyArray<string> = [],
  path: string = folder
): Promise<void> => {
  const ended = await resume(world, source.id, flags)
  expect(ended.code, describeEnd(ended)).toBe(5)
  const decision = decisionOf(ended)
  expect(decision).toMatchObject({ status: "refusing_to_resume", reason })
  expect(`${decision.message} ${decision.detail}`).toContain(path)
  expect(world.stubStarts()).toHaveLength(1)
  expect(await world.show(source.id)).toEqual(source)
}

describe.each(stubs)("$name", (provider) => {
  test("(a) deleted: refused; a bad --cd too", async () => {
    const moved = await ranInFolder(provider)
    rmSync(moved.folder, { recursive: true })
    await expectRefused(moved, "workspace_missing")
    await expectRefused(moved, "workspace_missing", ["--cd", "/nowhere"], "/nowhere")
  })

  test("(b) moved: refused, until it is said where to", async () => {
    const moved = await ranInFolder(provider)
    const target = moved.world.path("b")
    renameSync(moved.folder, target)
    await expectRefused(moved, "workspace_missing")
    const ended = await resume(moved.world, moved.source.id, ["--cd", target])
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(moved.world.stubStarts().at(-1)?.cwd).toBe(target)
    const next = await endedCheckpoint(moved.world, ended)
    expect(next.workspace.cwd).toBe(target)
    expect((await moved.world.show(next.resumed_from ?? "")).workspace.cwd).toBe(moved.folder)
  })

  test("(c) replaced by a file: refused", async () => {
    const moved = await ranInFolder(provider)
    rmSync(moved.folder, { recursive: true })
    writeFileSync(moved.folder, "")
    await expectRefused(moved, "workspace_not_a_directory")
  })

  test("(e) typed in another folder: the agent works in its own", async () => {
    const moved = await ranInFolder(provider)
    const other = moved.world.path("other")
    mkdirSync(other)
    const ended = await resume(moved.world, moved.source.id, [], { cwd: other })
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(realpathSync(moved.world.stubStarts().at(-1)?.cwd ?? "")).toBe(moved.folder)
  })
})

// The superuser may enter any folder, so as root the case is run as another user (65534, "nobody").
const isRoot = process.getuid?.() === 0

test("(d) not accessible: refused", async () => {
  const world = openWorld(isRoot ? { asUser: 65534 } : {})
  const folder = world.path("a")
  mkdirSync(folder)
  if (isRoot) chownSync(folder, 65534, 65534)
  const source = await interrupted(world, claudeStub, [], { cwd: folder })
  chmodSync(folder, 0o000)
  await expectRefused({ world, folder, source }, "workspace_not_accessible")
  chmodSync(folder, 0o700)
})
