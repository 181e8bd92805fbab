/** `alluka backup`: a copy of the store for a person to keep. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document, ErrorDocument } from "../support/documents.js"
import { openWorld } from "../support/world.js"
import { interrupted, underWay } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

interface Made extends Document {
  readonly file: string
  readonly runs: number
  readonly size_bytes: number
}

test("is made while a run goes on, is private, overwrites nothing, and opens elsewhere", async () => {
  const world = openWorld()
  const source = await interrupted(world, provider)
  const run = await underWay(world, provider)
  const made = await world.shell(`umask 000; alluka backup copy.db --json`)
  expect(made.code, describeEnd(made)).toBe(0)
  const document = made.document<Made>()
  const file = join(world.work, "copy.db")
  expect(document).toMatchObject({ kind: "backup_result", file, runs: 2, size_bytes: statSync(file).size })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(world.work).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"])
  expect((await world.show(run.id)).state).toBe("running")

  const again = await world.run(["backup", "copy.db", "--json"])
  expect(again.code, describeEnd(again)).toBe(5)
  expect(again.error<ErrorDocument & Document>()).toMatchObject({ code: "backup_exists" })
  const nowhere = await world.run(["backup", "no/such/folder/copy.db", "--json"])
  expect(nowhere.code, describeEnd(nowhere)).toBe(5)
  expect(nowhere.error<ErrorDocument & Document>()).toMatchObject({ code: "backup_no_folder" })
  expect((await world.run(["backup"])).code).toBe(2)

  const restored = world.path("restored")
  mkdirSync(restored, { mode: 0o700 })
  copyFileSync(file, join(restored, "alluka.db"))
  const env = { ALLUKA_HOME: restored }
  const listed = await world.json<List>(["runs", "list"], { env })
  // What was running is running still as far as anybody can tell from here: its process is alive.
  expect(listed.items.map(({ id, state }) => [id, state])).toEqual([
    [run.id, "running"],
    [source.id, "interrupted"]
  ])
  run.alluka.kill("SIGTERM")
  await run.alluka.ended()
  const later = await world.json<List>(["runs", "list"], { env })
  expect(later.items.map(({ state }) => state)).toEqual(["interrupted", "interrupted"])
  expect(existsSync(join(world.store, "alluka.db"))).toBe(true)
})
