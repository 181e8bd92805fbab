import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import { CheckpointStore, Scope } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createRunning, databaseIn, newEvent, plant, spec, temporaryFolder, withStore } from "../support/fixtures.js"

/** A very small disk; `null` where this user may not mount one. */
const smallDisk = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const home = `${folder}/disk`
      Fs.mkdirSync(home, { mode: 0o700 })
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=600k,mode=700", "tmpfs", home])
      return mounted.status === 0 ? home : null
    }),
    (home) =>
      Effect.sync(() => {
        if (home !== null) spawnSync("umount", ["-l", home])
      })
  )

describe("a full disk", () => {
  it.scoped.skipIf(process.geteuid?.() !== 0)(
    "is said, leaves no half-written run, and is over when there is room",
    () =>
      Effect.gen(function* () {
        const home = yield* smallDisk(yield* temporaryFolder)
        if (home === null) return
        yield* withStore(
          home,
          Effect.gen(function* () {
            const store = yield* CheckpointStore.CheckpointStore
            const first = yield* createRunning()
            const fill = `${home}/fill`
            Fs.writeFileSync(fill, Buffer.alloc(200_000))
            const large = { ...spec(), prompt: "x".repeat(200_000) }
            const error = yield* Effect.flip(Effect.forever(createRunning({ spec: large })))
            assert.isTrue(error._tag === "StoreUnavailable" && error.code === "disk_full", String(error))
            const { running } = yield* store.counts(Scope.operator)
            const whole = plant(databaseIn(home), (database) => ({
              check: database.pragma("integrity_check", { simple: true }),
              runs: database.prepare("SELECT count(*) FROM checkpoint").pluck().get(),
              events: database.prepare("SELECT count(DISTINCT checkpoint_id) FROM event").pluck().get()
            }))
            assert.deepStrictEqual(whole, { check: "ok", runs: running, events: running })
            Fs.rmSync(fill)
            yield* store.note(first.id, [newEvent("notice")])
            assert.strictEqual((yield* store.events(first.id, 0, 10)).length, 2)
          })
        )
      })
  )
})
