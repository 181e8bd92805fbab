/** A writer is killed at random moments, again and again: what the store has acknowledged is there afterwards. */
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { expect, test } from "vitest"
import type { Document } from "../support/documents.js"
import { openWorld, type World } from "../support/world.js"
import { size } from "./size.js"

const writer = fileURLToPath(new URL("./writer.mjs", import.meta.url))
const kills = size({ short: 12, full: 200 })

interface Acknowledged {
  readonly created: ReadonlyMap<string, number>
  readonly ended: ReadonlySet<string>
}

/** Runs a writer and kills it `afterMs` after its first acknowledged write. */
const killedWriter = async (world: World, afterMs: number): Promise<Acknowledged> => {
  const child = spawn(process.execPath, [writer, world.store], { env: world.env, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  let complained = ""
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8")
  })
  child.stderr.on("data", (chunk: Buffer) => {
    complained += chunk.toString("utf8")
  })
  const closed = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("close", (_code, signal) => resolve(signal))
  )
  await Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), closed])
  await delay(afterMs)
  child.kill("SIGKILL")
  expect(await closed, complained).toBe("SIGKILL")
  const lines = said
    .slice(0, said.lastIndexOf("\n"))
    .split("\n")
    .map((line) => line.split(" "))
  return {
    created: new Map(lines.flatMap(([what, id = "", seq]) => (what === "created" ? [[id, Number(seq)] as const] : []))),
    ended: new Set(lines.flatMap(([what, id = ""]) => (what === "ended" ? [id] : [])))
  }
}

interface Row {
  readonly id: string
  readonly seq: number
  readonly state: string
}

test(`nothing acknowledged is lost in ${kills} kills`, async () => {
  const world = openWorld()
  let written = 0
  for (let kill = 1; kill <= kills; kill += 1) {
    const afterMs = randomInt(0, 60)
    const acknowledged = await killedWriter(world, afterMs)
    written += acknowledged.created.size
    const what = `kill ${kill}, ${afterMs} ms after the first write`

    // The next open of the store, by the program.
    const running = await world.json<Document & { items: ReadonlyArray<unknown> }>([
      "runs",
      "list",
      "--state",
      "running"
    ])
    expect(running.items, what).toEqual([])

    const database = new Database(join(world.store, "alluka.db"), { readonly: true })
    expect(database.pragma("integrity_check", { simple: true }), what).toBe("ok")
    const rows = new Map(
      (database.prepare("SELECT id, seq, state FROM checkpoint").all() as Array<Row>).map((row) => [row.id, row])
    )
    database.close()
    for (const [id, seq] of acknowledged.created) {
      expect(rows.get(id), `${what}: ${id}`).toMatchObject({ seq })
      const state = rows.get(id)?.state
      if (acknowledged.ended.has(id)) expect(state, `${what}: ${id}`).toBe("completed")
      // An end that was not acknowledged may have been stored or not; nothing else may be.
      else expect(["completed", "interrupted"], `${what}: ${id}`).toContain(state)
    }
    expect(rows.size, what).toBeGreaterThanOrEqual(written)
    // At most one run was under way at each kill.
    expect([...rows.values()].filter((row) => row.state === "interrupted").length, what).toBeLessThanOrEqual(kill)
  }
}, 600_000)
