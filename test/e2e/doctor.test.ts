/** `alluka doctor`: what would get in the way, of everything or of the resume of one run. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import Database from "better-sqlite3"
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { Document } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { openWorld, type World } from "../support/world.js"
import { interrupted, underWay } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"

interface Report extends Document {
  readonly ok: boolean
  readonly items: ReadonlyArray<{
    readonly id: string
    readonly status: string
    readonly message: string
    readonly detail: string | null
  }>
}

const doctor = async (world: World, args: ReadonlyArray<string>, code: number) => {
  const ended = await world.run(["doctor", ...args, "--json"])
  expect(ended.code, describeEnd(ended)).toBe(code)
  const report = ended.document<Report>()
  expect(report.ok).toBe(code === 0)
  return new Map(report.items.map((item) => [item.id, item]))
}

test("names the facts of one run's resume, and what of them stands in the way", async () => {
  const world = openWorld()
  const folder = world.path("work", "inner")
  mkdirSync(folder)
  const run = await interrupted(world, provider, [], { cwd: folder })
  const found = await doctor(world, [run.id], 0)
  // The stub keeps no files: that its conversation is there cannot be known, and is not taken for absence.
  expect(found.get("conversation")).toMatchObject({ status: "skipped" })
  expect(found.get("folder")).toMatchObject({ status: "ok" })
  rmSync(folder, { recursive: true })
  const gone = await doctor(world, [run.id], 1)
  expect(gone.get("folder")).toMatchObject({ status: "problem" })
  expect(gone.get("folder")?.message).toContain(folder)
  expect(gone.get("resume")?.message).toContain("refusing")
  expect(await world.show(run.id)).toEqual(run)
})

test("says of a run that goes on who has it", async () => {
  const world = openWorld()
  const run = await underWay(world, provider)
  const found = await doctor(world, [run.id], 0)
  expect(found.get("owner")).toMatchObject({ status: "ok" })
  expect(found.get("owner")?.message).toContain(`pid ${run.alluka.pid}`)
})

test("finds what others may read, below the data folder too, and closes it with --fix", async () => {
  const world = openWorld()
  await world.run(["runs", "list"])
  const paths = [world.path("store", "alluka.db"), world.path("store", "notes")]
  writeFileSync(world.path("store", "notes"), "")
  for (const path of paths) chmodSync(path, 0o644)
  expect((await doctor(world, [], 0)).get("permissions")).toMatchObject({ status: "warning" })
  expect((await doctor(world, ["--fix"], 0)).get("permissions")).toMatchObject({ status: "fixed" })
  expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600])
  expect((await doctor(world, [], 0)).has("permissions")).toBe(false)
})

test("sets damaged records aside with --fix, and removes what nothing needs", async () => {
  const world = openWorld()
  const healthy = await interrupted(world, provider)
  const harmed = await interrupted(world, provider)
  const database = new Database(world.path("store", "alluka.db"))
  database.prepare("UPDATE checkpoint SET spec = '{' WHERE id = ?").run(harmed.id)
  database.exec("UPDATE state_count SET count = count + 5")
  database
    .prepare("UPDATE event SET payload = '[' WHERE seq = (SELECT min(seq) FROM event WHERE checkpoint_id = ?)")
    .run(healthy.id)
  database.exec("DELETE FROM run_text_pending")
  database.close()
  writeFileSync(world.path("store", "output", "ckpt_000000000000.ndjson"), "")

  const found = await doctor(world, [], 1)
  expect(found.get("damaged_records")).toMatchObject({ status: "problem" })
  expect(found.get("damaged_records")?.detail).toContain(harmed.id)
  expect(found.get("damaged_records")?.message).toMatch(/^1 run and 1 event are damaged/)
  expect(found.get("integrity")?.detail).toContain("2 runs are missing from the index of the search")
  expect(found.get("integrity")).toMatchObject({ status: "problem" })
  expect(found.get("leftovers")).toMatchObject({ status: "ok" })

  const fixed = await doctor(world, ["--fix"], 0)
  for (const id of ["damaged_records", "integrity", "leftovers"]) {
    expect(fixed.get(id), id).toMatchObject({ status: "fixed" })
  }
  const files = readdirSync(world.path("store", "damaged")).sort()
  expect(files.map((file) => file.replace(/\d+/, "N"))).toEqual(["event-N.json", "run-N.json"])
  expect(readFileSync(world.path("store", "damaged", files[1] ?? ""), "utf8")).toContain(harmed.id)
  expect(existsSync(world.path("store", "output", "ckpt_000000000000.ndjson"))).toBe(false)

  const sound = await doctor(world, [], 0)
  expect(sound.has("damaged_records")).toBe(false)
  expect(sound.get("integrity")).toMatchObject({ status: "ok" })
  expect(await world.show(healthy.id)).toEqual(healthy)
})

test("prune takes with it the record of processes that owned nothing else", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.finished })
  for (let run = 0; run < 2; run += 1) await world.run(["run", "--json", "--provider", provider.name, "-p", "task"])
  const owners = (): number => {
    const database = new Database(world.path("store", "alluka.db"), { readonly: true })
    const count = Number(database.prepare("SELECT count(*) FROM owner").pluck().get())
    database.close()
    return count
  }
  expect(owners()).toBe(2)
  const pruned = await world.run(["runs", "prune", "--older-than", "1s", "-n"])
  expect(pruned.code, describeEnd(pruned)).toBe(0)
  expect(owners()).toBe(2)
  await eventually(async () => {
    await world.run(["runs", "prune", "--older-than", "1s", "-y"])
    return owners() === 0
  })
})
