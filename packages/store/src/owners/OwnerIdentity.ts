/**
 * This process as an owner, and whether other owners are alive.
 *
 * An owner holds the lock of `owners/<id>.lock` for as long as it lives. The handle is kept on `globalThis`, one for each
 * data folder: it must not be collected, and two bundles of one process are one owner. Workers with a `globalThis` of
 * their own are owners of their own.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { type Ids, OwnerIdentity } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Database } from "../connection/Database.js"
import { codeOf } from "../connection/failures.js"
import * as Permit from "../connection/permit.js"
import { type Handle, hold, probe } from "../files/exclusiveFile.js"
import { createPrivateFile, makePrivateFolder } from "../files/privateFile.js"
import { here } from "../host/processTable.js"
import { judge, type ProcessSeen } from "./judge.js"
import { sweep } from "./sweep.js"
import { ownStart, place } from "./thisProcess.js"

interface Own {
  readonly record: OwnerIdentity.OwnerRecord
  readonly handle: Handle
}

interface Registry {
  readonly permit: Permit.Permit
  /**
   * By the folder of the lock files, newest last. There is more than one only where a lock file was deleted under its
   * living owner: what that one began still belongs to it, and new runs get an owner that can be probed.
   */
  readonly owns: Map<string, ReadonlyArray<Own>>
}

const key = Symbol.for("@alluka/store/owners/1")

const registry = (): Registry => {
  const holder = globalThis as typeof globalThis & { [key]?: Registry }
  holder[key] ??= { permit: Permit.make(), owns: new Map() }
  return holder[key]
}

const lockPath = (database: Database, id: string): string => Path.join(database.home.owners, `${id}.lock`)

/** The owners that this process is in a data folder. */
export const ownIds = (database: Database): ReadonlySet<string> =>
  new Set((registry().owns.get(database.home.owners) ?? []).map(({ record }) => record.id))

/** Creates a lock file under a new id and locks it; `null` if the file was replaced or removed in between. */
const lockNew = (path: string): Handle | null => {
  const inode = createPrivateFile(path)
  const handle = hold(path)
  if (Fs.statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === inode) return handle
  handle.close()
  return null
}

const become = (database: Database, ids: Ids.Ids["Type"]): Effect.Effect<Own, OwnerIdentity.OwnerLockFailed> =>
  Effect.gen(function* () {
    const id = yield* ids.owner
    const path = lockPath(database, id)
    const handle = yield* Effect.try({
      try: () => {
        makePrivateFolder(database.home.owners)
        const taken = lockNew(path)
        if (taken === null) throw new Error("the lock file was removed while it was taken")
        return taken
      },
      catch: (cause) => new OwnerIdentity.OwnerLockFailed({ operation: "OwnerIdentity.self", path, cause })
    })
    return { handle, record: { id, pid: process.pid, pidStart: ownStart(), ...place() } }
  })

const processSeen = (pid: number): ProcessSeen => {
  const found = here.find(pid)
  if (found !== null) return { kind: "there", pidStart: found.pidStart }
  try {
    process.kill(pid, 0)
    // A signal would reach it, yet it is not in the table: a zombie, whose locks and work are gone.
    return process.platform === "linux" ? { kind: "gone" } : { kind: "hidden" }
  } catch (error) {
    return codeOf(error) === "ESRCH" ? { kind: "gone" } : { kind: "hidden" }
  }
}

export const make = (database: Database, ids: Ids.Ids["Type"]): OwnerIdentity.OwnerIdentity["Type"] => {
  const { permit, owns } = registry()
  const folder = database.home.owners

  const self = Permit.withPermit(permit)(
    Effect.suspend(() => {
      const before = owns.get(folder) ?? []
      const own = before.at(-1)
      if (own !== undefined && Fs.existsSync(lockPath(database, own.record.id))) return Effect.succeed(own.record)
      return Effect.gen(function* () {
        const made = yield* become(database, ids)
        owns.set(folder, [...before, made])
        yield* sweep(database, ownIds(database), yield* Clock.currentTimeMillis)
        return made.record
      })
    })
  )

  return OwnerIdentity.OwnerIdentity.of({
    self,
    probe: (owner) =>
      Effect.sync(() => {
        // Our own file is never opened a second time: closing that descriptor would free the lock.
        if (owns.get(folder)?.some(({ record }) => record.id === owner.id) === true)
          return OwnerIdentity.Liveness.Alive()
        return judge(owner, {
          lock: probe(lockPath(database, owner.id)).kind,
          here: place(),
          process: () => processSeen(owner.pid)
        })
      })
  })
}
