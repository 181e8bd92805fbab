/**
 * Who is alive: the cases in which others declare a living owner dead, or keep a dead one for ever. Recycled process
 * numbers and process namespaces are real ones where this user may make them (root on Linux).
 */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { CheckpointStore, OwnerIdentity, Recovery } from "@alluka/core"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import type { Document } from "../support/documents.js"
import { isRunning } from "../support/processes.js"
import { openWorld, type World } from "../support/world.js"
import { type Actor, startActor } from "./actor.js"
import { onStore } from "./onStore.js"
import { size } from "./size.js"

const namespace = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL"]
const canUnshare = process.platform === "linux" && spawnSync("unshare", [...namespace.slice(1), "true"]).status === 0

const owners = size({ short: 3, full: 10 })

/** `Alive`, `Unknown`, or the cause of a death. */
const probed = (world: World): Promise<string> =>
  onStore(
    world.store,
    Effect.gen(function* () {
      const [running] = yield* (yield* CheckpointStore.CheckpointStore).runningOwners
      if (running === undefined) return "none"
      const found = yield* (yield* OwnerIdentity.OwnerIdentity).probe(running.owner)
      return found._tag === "Dead" ? found.cause : found._tag
    })
  )

const owning = async (
  world: World,
  also = "",
  before: ReadonlyArray<string> = []
): Promise<Actor & { readonly owner: string }> => {
  const actor = startActor(world, "owner", [world.store, also], before)
  const [, owner = ""] = (await actor.line("owner")).split(" ")
  return { ...actor, owner }
}

/** From the death of a process to the moment at which it is known, ms. */
const killed = async (world: World, actor: Actor): Promise<number> => {
  const startedAt = performance.now()
  actor.signal("SIGKILL")
  while ((await probed(world)) !== "owner_lost")
    if (performance.now() - startedAt > 20_000) throw new Error("never dead")
  const took = performance.now() - startedAt
  await actor.ended
  return took
}

const lockOf = (world: World, owner: string): string => join(world.store, "owners", `${owner}.lock`)

test("alive, frozen, killed, and killed with a child that lives on", async () => {
  const world = openWorld()
  const first = await owning(world)
  expect(await probed(world)).toBe("Alive")
  first.signal("SIGSTOP")
  expect(await probed(world)).toBe("Alive")
  first.signal("SIGCONT")
  expect(await killed(world, first)).toBeLessThan(1000)

  const other = openWorld()
  const second = await owning(other, "child")
  expect(await killed(other, second)).toBeLessThan(1000)
  const left = other.running().filter(({ command }) => command === "sleep 300")
  expect(left.map(({ pid }) => isRunning(pid))).toEqual([true])
})

test("alive, although it looked after the store and every file in it", async () => {
  const world = openWorld()
  await owning(world, "care")
  expect(await probed(world)).toBe("Alive")
})

test.runIf(canUnshare)("alive and dead in another process namespace, with and without its lock file", async () => {
  const world = openWorld()
  const actor = await owning(world, "", namespace)
  expect(await probed(world)).toBe("Alive")
  const other = openWorld()
  const unlocked = await owning(other, "", namespace)
  rmSync(lockOf(other, unlocked.owner))
  // Its number means another process here, so nothing is proven, whatever that process is.
  expect(await probed(other)).toBe("Unknown")
  unlocked.signal("SIGKILL")
  await unlocked.ended
  expect(await probed(other)).toBe("Unknown")
  expect(await killed(world, actor)).toBeLessThan(1000)
})

test.runIf(canUnshare)("a process number that another process has by now is no proof of life", async () => {
  const world = openWorld()
  const folder = dirname(fileURLToPath(import.meta.url))
  // In a namespace of its own the next process number can be chosen.
  const script = `
    exec 3< <(exec "$1" "$2/owner.mjs" "$3" < <(exec sleep 300))
    read -r word owner run pid <&3
    kill -9 "$pid"
    while [ -d "/proc/$pid" ] && ! grep -q "^State:.Z" "/proc/$pid/status"; do sleep 0.05; done
    wait
    for try in 1 2 3 4 5 6 7 8 9 10; do
      echo $((pid - 1)) > /proc/sys/kernel/ns_last_pid
      sleep 300 & if [ "$!" = "$pid" ]; then echo recycled; break; fi
      sleep 0.1
    done
    "$1" "$2/prober.mjs" "$3"
    rm "$3"/owners/*.lock
    "$1" "$2/prober.mjs" "$3"
  `
  const [command = "", ...flags] = namespace
  const said = spawnSync(command, [...flags, "bash", "-c", script, "-", process.execPath, folder, world.store], {
    env: world.env,
    encoding: "utf8",
    timeout: 60_000
  })
  const lines = said.stdout.trim().split("\n")
  expect(lines[0], `${said.stdout}${said.stderr}`).toBe("recycled")
  expect(lines.slice(1).map((line) => line.split(" ").slice(1).join(" "))).toEqual([
    "Dead owner_lost",
    "Dead owner_lost"
  ])
})

test("a restart of the machine: every run of before is ended, once", async () => {
  const world = openWorld()
  const actors = await Promise.all(Array.from({ length: owners }, () => owning(world)))
  // Whatever its record says: it holds its lock.
  const alive = await owning(world)
  for (const actor of actors) actor.signal("SIGKILL")
  for (const actor of actors) await actor.ended
  const database = new Database(join(world.store, "alluka.db"))
  database.exec("UPDATE owner SET boot_id = 'the boot before'")
  database.close()
  const swept = onStore(
    world.store,
    Effect.flatMap(Recovery.Recovery, ({ reconcile }) => reconcile)
  )
  expect((await swept).ended).toHaveLength(owners)
  const again = await onStore(
    world.store,
    Effect.flatMap(Recovery.Recovery, ({ reconcile }) => reconcile)
  )
  expect(again.ended).toEqual([])
  interface List extends Document {
    readonly items: ReadonlyArray<{ readonly state: string; readonly reason: { readonly code: string } | null }>
  }
  const { items } = await world.json<List>(["runs", "list"])
  expect(items.map(({ reason, state }) => `${state} ${reason?.code}`).sort()).toEqual([
    ...Array.from({ length: owners }, () => "interrupted host_restarted"),
    "running undefined"
  ])
  alive.signal("SIGKILL")
})
