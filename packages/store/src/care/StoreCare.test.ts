import * as Fs from "node:fs"
import * as Path from "node:path"
import { CheckpointStore, Checkpoints, Ids, OutputLog, OwnerIdentity, Scope, Task, TaskStore } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { expired, keepCrashLog } from "../files/crashLogs.js"
import { StoreInfo } from "../StoreInfo.js"
import { startChild } from "../support/child.js"
import {
  createEnded,
  createRunning,
  databaseIn,
  endAs,
  onNewStore,
  plant,
  resumeDraft,
  temporaryFolder,
  temporaryHome,
  withStore
} from "../support/fixtures.js"
import { mostDamaged } from "./damaged/damagedRecords.js"
import { StoreCare } from "./StoreCare.js"

const listed = Effect.flatMap(CheckpointStore.CheckpointStore, (store) =>
  store.list(Scope.operator, { ...Checkpoints.everything, limit: 1000, attempts: true })
)

const modeOf = (path: string) => Fs.statSync(path).mode & 0o777

describe("a backup", () => {
  it.live("is the store at one moment while others write, private, and opens as a store of its own", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const home = Path.join(folder, "home")
        const file = Path.join(folder, "copy.db")
        const made = yield* withStore(
          home,
          Effect.gen(function* () {
            yield* Effect.replicateEffect(createEnded("completed"), 50)
            const writers = yield* Effect.replicateEffect(startChild("writer", [home, "400"]), 3)
            yield* Effect.forEach(writers, (child) => child.line)
            for (const child of writers) child.say("go")
            const backup = yield* (yield* StoreCare).backUpTo(file)
            for (const child of writers) assert.strictEqual(yield* child.line, "done")
            return backup
          })
        )
        assert.strictEqual(modeOf(file), 0o600)
        assert.strictEqual(made.bytes, Fs.statSync(file).size)
        assert.deepStrictEqual(Fs.readdirSync(folder).sort(), ["copy.db", "home"])
        // One moment: every event up to the newest is there, and every run that began by then.
        const inside = plant(file, (database) => ({
          check: database.pragma("integrity_check", { simple: true }),
          events: database.prepare("SELECT count(*) FROM event").pluck().get(),
          runs: database.prepare("SELECT count(*) FROM checkpoint").pluck().get(),
          begun: database.prepare("SELECT count(*) FROM event WHERE kind = 'created'").pluck().get()
        }))
        assert.deepStrictEqual(inside, { check: "ok", events: made.seq, runs: made.runs, begun: made.runs })
        const restored = Path.join(folder, "restored")
        Fs.mkdirSync(restored, { mode: 0o700 })
        Fs.copyFileSync(file, databaseIn(restored))
        Fs.chmodSync(databaseIn(restored), 0o600)
        yield* withStore(
          restored,
          Effect.gen(function* () {
            assert.strictEqual((yield* listed).items.length, made.runs)
            // Numbers go on where they were: a reader that continues sees no number twice.
            const next = yield* createRunning()
            assert.strictEqual(next.seq, made.seq + 1)
          })
        )
      })
    )
  )

  it.scoped("overwrites nothing, follows no link, and leaves nothing where it fails", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const home = Path.join(folder, "home")
      Fs.writeFileSync(Path.join(folder, "there"), "mine")
      Fs.symlinkSync(Path.join(folder, "nowhere"), Path.join(folder, "link"))
      yield* withStore(
        home,
        Effect.gen(function* () {
          yield* createEnded("completed")
          const care = yield* StoreCare
          const why = (file: string) =>
            Effect.map(Effect.flip(care.backUpTo(file)), (failure) =>
              failure._tag === "BackupRefused" ? failure.why : failure._tag
            )
          assert.strictEqual(yield* why(Path.join(folder, "there")), "exists")
          assert.strictEqual(yield* why(Path.join(folder, "link")), "exists")
          assert.strictEqual(yield* why(Path.join(folder, "no", "such", "copy.db")), "no_folder")
          assert.strictEqual(yield* why(Path.join(home, "alluka.db-journal")), "belongs_to_store")
          assert.strictEqual(Fs.readFileSync(Path.join(folder, "there"), "utf8"), "mine")
          // A store that SQLite cannot read to its end gives no copy, and no half of one.
          plant(databaseIn(home), (database) => database.pragma("wal_checkpoint(TRUNCATE)"))
          const bytes = Fs.readFileSync(databaseIn(home))
          const damaged = Path.join(folder, "damaged")
          Fs.mkdirSync(damaged, { mode: 0o700 })
          const page = 4096
          Fs.writeFileSync(databaseIn(damaged), Buffer.concat([bytes.subarray(0, -page), Buffer.alloc(page, 0x5a)]))
          const failed = yield* Effect.flip(
            Effect.scoped(
              withStore(
                damaged,
                Effect.flatMap(StoreCare, (other) => other.backUpTo(Path.join(folder, "copy.db")))
              )
            )
          )
          assert.isTrue(failed._tag === "StoreUnavailable" && failed.code === "damaged", String(failed))
          assert.isFalse(Fs.existsSync(Path.join(folder, "copy.db")))
        })
      )
      assert.notInclude(Fs.readdirSync(folder).join(), ".part-")
      assert.isFalse(Fs.existsSync(Path.join(folder, "nowhere")))
    })
  )
})

describe("the examination of a store", () => {
  it.effect("finds nothing in a sound one", () =>
    onNewStore(
      Effect.gen(function* () {
        yield* createEnded("completed")
        yield* createRunning()
        const care = yield* StoreCare
        assert.deepStrictEqual(yield* care.faults, { broken: [], repairable: [] })
        assert.deepStrictEqual(yield* care.damaged, [])
        assert.deepStrictEqual(yield* care.exposed, [])
      })
    )
  )

  it.effect("finds counts and indexes that do not fit, and makes them anew from the rows", () =>
    onNewStore(
      Effect.gen(function* () {
        const { path } = yield* StoreInfo
        yield* createEnded("completed")
        yield* createEnded("failed")
        plant(path, (database) => {
          database.exec(
            "UPDATE state_count SET count = 7 WHERE state = 'failed'; DELETE FROM state_count WHERE state = 'completed'"
          )
          // An index that lost its entries, as after a copy without its log.
          database.unsafeMode(true)
          database.pragma("writable_schema = ON")
          const sql = "CREATE INDEX checkpoint_by_start ON checkpoint (started_at)"
          database.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'checkpoint_by_start'").run(`${sql} WHERE 0`)
          database.pragma("writable_schema = RESET")
          database.exec("REINDEX checkpoint_by_start")
          database.pragma("writable_schema = ON")
          database.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'checkpoint_by_start'").run(sql)
          database.pragma("writable_schema = RESET")
        })
        const care = yield* StoreCare
        const found = yield* care.faults
        assert.deepStrictEqual(found.broken, [])
        assert.match(found.repairable.join("; "), /checkpoint_by_start/)
        assert.match(found.repairable.join("; "), /the count of failed runs of agent default is wrong/)
        assert.match(found.repairable.join("; "), /the count of completed runs of agent default is wrong/)
        yield* care.repair
        assert.deepStrictEqual(yield* care.faults, { broken: [], repairable: [] })
        const store = yield* CheckpointStore.CheckpointStore
        assert.deepInclude(yield* store.counts(Scope.operator), { completed: 1, failed: 1 })
      })
    )
  )

  it.effect.each([
    [
      "an entry that vanished",
      "DELETE FROM run_text WHERE rowid = (SELECT min(seq) FROM checkpoint)",
      /1 runs are missing/
    ],
    ["entries that all vanished", "DELETE FROM run_text", /210 runs are missing/],
    [
      "an entry of no run",
      "INSERT INTO run_text (rowid, text) VALUES (999999, 'nobody')",
      /1 entries .* belong to no run/
    ],
    ["a broken segment", "DELETE FROM run_text_data WHERE id = (SELECT max(id) FROM run_text_data)", /fts5/],
    ["a part that is gone", "DROP TABLE run_text_docsize", /cannot be read/]
  ] as const)("finds in the search %s, and makes its index anew", ([, damage, said]) =>
    onNewStore(
      Effect.gen(function* () {
        const { path } = yield* StoreInfo
        const store = yield* CheckpointStore.CheckpointStore
        const found = (search: string) =>
          Effect.map(
            store.list(Scope.operator, { ...Checkpoints.everything, search, limit: 1000 }),
            ({ items }) => items.length
          )
        yield* Effect.replicateEffect(createEnded("completed"), 210)
        // As many as make a search take them in.
        assert.strictEqual(yield* found("attic"), 210)
        const care = yield* StoreCare
        assert.deepStrictEqual(yield* care.faults, { broken: [], repairable: [] })
        plant(path, (database) => {
          database.unsafeMode(true)
          database.exec(damage)
        })
        const faults = yield* care.faults
        assert.deepStrictEqual(faults.broken, [])
        assert.match(faults.repairable.join("; "), said)
        yield* care.repair
        assert.deepStrictEqual(yield* care.faults, { broken: [], repairable: [] })
        assert.strictEqual(yield* found("attic"), 210)
        assert.deepStrictEqual(yield* care.faults, { broken: [], repairable: [] })
        // What is sound is not made anew.
        yield* care.repair
        const pending = plant(path, (database) =>
          database.prepare("SELECT count(*) FROM run_text_pending").pluck().get()
        )
        assert.strictEqual(pending, 0)
      })
    )
  )

  it.effect("finds paths that others may read, below the folder too, and closes them", () =>
    onNewStore(
      Effect.gen(function* () {
        const { home } = yield* StoreInfo
        const { id } = yield* createEnded("completed")
        yield* (yield* OutputLog.OutputLog).append(id, [{ at: 1, from: "stdout", text: "hello" }])
        const open = [Path.join(home, "output"), Path.join(home, "output", `${id}.ndjson`), databaseIn(home)]
        for (const path of open) Fs.chmodSync(path, 0o755)
        Fs.symlinkSync("/etc/passwd", Path.join(home, "link"))
        const care = yield* StoreCare
        assert.deepStrictEqual([...(yield* care.exposed)].sort(), [...open].sort())
        assert.deepStrictEqual(yield* care.close(open), [])
        assert.deepStrictEqual(yield* care.exposed, [])
        assert.deepStrictEqual(open.map(modeOf), [0o700, 0o700, 0o700])
      })
    )
  )
})

describe("a damaged record", () => {
  it.effect("is written into a file whole, and taken out where no other record depends on it", () =>
    onNewStore(
      Effect.gen(function* () {
        const { home, path } = yield* StoreInfo
        const store = yield* CheckpointStore.CheckpointStore
        const owner = yield* (yield* OwnerIdentity.OwnerIdentity).self
        const healthy = yield* createEnded("interrupted")
        const alone = yield* createEnded("failed")
        const source = yield* createEnded("interrupted")
        const claimed = yield* store.claim(yield* resumeDraft(source), owner, ["interrupted"], {
          kind: "created",
          timestamp: 1,
          phase: 0,
          message: "created",
          payload: {}
        })
        const tip = Option.getOrThrow(claimed)
        yield* store.progress({
          id: tip.id,
          owner: owner.id,
          taskId: null,
          progress: tip.progress,
          at: 2,
          events: [],
          durability: "normal",
          confirmsResumeOf: source.id
        })
        yield* endAs(tip, "completed")
        plant(path, (database) => {
          database.prepare("UPDATE checkpoint SET progress = 'half a rec' WHERE id IN (?, ?)").run(alone.id, tip.id)
        })
        const care = yield* StoreCare
        const found = yield* care.damaged
        assert.deepStrictEqual(
          found.map(({ about, id, kind }) => [kind, id, about]),
          [
            ["run", alone.id, "failed, Tidy the attic"],
            ["run", tip.id, "completed, Tidy the attic"]
          ]
        )
        const aside = yield* Effect.forEach(found, care.setAside)
        assert.deepStrictEqual(
          aside.map(({ removed }) => removed),
          [true, false]
        )
        for (const { file } of aside) {
          if (file === null) throw new Error("it was there")
          assert.strictEqual(modeOf(file), 0o600)
          const kept = JSON.parse(Fs.readFileSync(file, "utf8"))
          assert.strictEqual(kept.record.progress, "half a rec")
          assert.isAtLeast(kept.events.length, 2)
        }
        assert.strictEqual(modeOf(Path.join(home, "damaged")), 0o700)
        // The completed attempt still keeps its source from being resumed.
        const left = yield* listed
        assert.deepStrictEqual(
          [left.items.map(({ id }) => id).sort(), left.skipped],
          [[healthy.id, source.id].sort(), 1]
        )
        const superseded = yield* store.get(source.id)
        assert.isTrue(Option.isSome(superseded) && superseded.value.resumedBy === tip.id)
        assert.deepStrictEqual(yield* care.faults, { broken: [], repairable: [] })
        // A second time changes nothing.
        assert.deepStrictEqual(yield* Effect.forEach(yield* care.damaged, care.setAside), [aside[1]])
      })
    )
  )
})

describe("a damaged task or event", () => {
  it.effect("is written into a file, and taken out: an event always, a task where no run tells of it", () =>
    onNewStore(
      Effect.gen(function* () {
        const { path } = yield* StoreInfo
        const store = yield* CheckpointStore.CheckpointStore
        const tasks = yield* TaskStore.TaskStore
        const added = yield* tasks.add(
          ["sound", "alone", "run"].map((title) => ({
            ...{ prefix: "T", folder: "/work/a", cwd: "/work/a", title, prompt: title, promptRedacted: false },
            ...{ status: "todo" as const, labels: {}, plan: Task.noPlan }
          })),
          1
        )
        const [sound, alone, run] = added
        const ended = yield* createEnded("completed")
        plant(path, (database) => {
          database.prepare("UPDATE task SET plan = '{' WHERE id IN (?, ?)").run(alone?.id, run?.id)
          database.prepare("UPDATE checkpoint SET task_id = ? WHERE id = ?").run(run?.id, ended.id)
          database.prepare("UPDATE event SET payload = '[' WHERE checkpoint_id = ? AND kind = 'created'").run(ended.id)
          database.prepare("UPDATE event SET kind = 'non sense' WHERE seq = (SELECT max(seq) FROM event)").run()
        })
        const care = yield* StoreCare
        const found = yield* care.damaged
        assert.deepStrictEqual(
          found.map(({ about, id, kind }) => [kind, id, about]),
          [
            ["task", String(alone?.id), "todo, alone"],
            ["task", String(run?.id), "todo, run"],
            ["event", String(ended.seq), `created of ${ended.id}`],
            ["event", String(found.at(-1)?.number), `non sense of ${ended.id}`]
          ]
        )
        const aside = yield* Effect.forEach(found, care.setAside)
        assert.deepStrictEqual(
          aside.map(({ removed }) => removed),
          [true, false, true, true]
        )
        assert.deepStrictEqual(
          aside
            .map(({ file }) => JSON.parse(Fs.readFileSync(file ?? "", "utf8")).record)
            .map(({ id, kind, plan }) => [id, plan, kind]),
          [
            [alone?.id, "{", undefined],
            [run?.id, "{", undefined],
            [undefined, undefined, "created"],
            [undefined, undefined, "non sense"]
          ]
        )
        assert.deepStrictEqual(
          (yield* care.damaged).map(({ id }) => id),
          [String(run?.id)]
        )
        const { items, skipped } = yield* tasks.list({ folder: "/work/a", statuses: [] })
        assert.deepStrictEqual([items.map(({ id }) => id), skipped], [[sound?.id], 1])
        assert.isTrue(Option.isSome(yield* store.get(ended.id)))
        assert.deepStrictEqual(yield* care.faults, { broken: [], repairable: [] })
      })
    )
  )

  it.effect("of a run that is damaged itself goes with it", () =>
    onNewStore(
      Effect.gen(function* () {
        const { path } = yield* StoreInfo
        const ended = yield* createEnded("completed")
        plant(path, (database) => {
          database.prepare("UPDATE checkpoint SET spec = '{' WHERE id = ?").run(ended.id)
          database.prepare("UPDATE event SET payload = '['").run()
        })
        const care = yield* StoreCare
        const found = yield* care.damaged
        assert.isAbove(found.length, 1)
        const [run, ...events] = yield* Effect.forEach(found, care.setAside)
        assert.strictEqual(run?.removed, true)
        assert.deepStrictEqual([...new Set(events.map(({ file }) => file))], [null])
        assert.strictEqual(JSON.parse(Fs.readFileSync(run?.file ?? "", "utf8")).events.length, events.length)
        assert.deepStrictEqual(yield* care.damaged, [])
      })
    )
  )

  it.effect("is looked for in every row, and named up to a number", () =>
    onNewStore(
      Effect.gen(function* () {
        const { path } = yield* StoreInfo
        const ended = yield* createEnded("completed")
        plant(path, (database) => {
          const insert = database.prepare(
            "INSERT INTO event (checkpoint_id, kind, at, phase, message, payload) VALUES (?, 'message', 1, 0, 'x', ?)"
          )
          database.transaction(() => {
            for (let n = 0; n < 4500; n++) insert.run(ended.id, n === 4400 ? "[" : "{}")
          })()
        })
        const care = yield* StoreCare
        assert.strictEqual((yield* care.damaged).length, 1)
        plant(path, (database) => database.exec("UPDATE event SET kind = 'of_a_newer_version', payload = '{}'"))
        assert.deepStrictEqual(yield* care.damaged, [])
        plant(path, (database) => database.exec("UPDATE event SET payload = 'x'"))
        assert.strictEqual((yield* care.damaged).length, mostDamaged)
      })
    )
  )
})

describe("traces of bugs", () => {
  it("go when they are old, or more than twenty; whatever else is there stays", () => {
    const day = 24 * 60 * 60 * 1000
    const logs = Array.from({ length: 40 }, (_, index) => ({ path: `crash-${index}`, at: (100 - index) * day }))
    assert.deepStrictEqual(expired(logs, 100 * day).length, 20)
    assert.deepStrictEqual(
      expired(logs.slice(0, 20), 125 * day),
      logs.slice(6, 20).map(({ path }) => path)
    )
    assert.deepStrictEqual(expired([], 0), [])
  })

  it.scopedLive("are private, and bounded by the writing of the next, by the doctor and by prune", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const file = keepCrashLog(home, "Error: x", Date.now())
      assert.strictEqual(Fs.readFileSync(file, "utf8"), "Error: x\n")
      assert.deepStrictEqual([modeOf(file), modeOf(Path.dirname(file))], [0o600, 0o700])
      const folder = Path.join(home, "logs")
      const old = (name: string) => {
        const path = Path.join(folder, name)
        Fs.writeFileSync(path, "x")
        Fs.utimesSync(path, 1, 1)
      }
      for (const name of ["crash-old-1.log", "crash-old-2.log", "mine.log"]) old(name)
      Fs.symlinkSync("/etc/hostname", Path.join(folder, "crash-link.log"))
      yield* withStore(
        home,
        Effect.gen(function* () {
          const care = yield* StoreCare
          assert.strictEqual((yield* care.leftovers).crashLogs, 2)
          assert.strictEqual((yield* care.tidy).crashLogs, 2)
          assert.strictEqual((yield* care.leftovers).crashLogs, 0)
        })
      )
      assert.deepStrictEqual(Fs.readdirSync(folder).sort(), ["crash-link.log", Path.basename(file), "mine.log"].sort())
      old("crash-old-3.log")
      keepCrashLog(home, "Error: y", Date.now() + 1)
      assert.isFalse(Fs.existsSync(Path.join(folder, "crash-old-3.log")))
    })
  )
})

describe("what nothing refers to any more", () => {
  it.live("goes: rows and locks of dead owners without runs, old loops, outputs; and nothing else does", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        yield* withStore(
          home,
          Effect.gen(function* () {
            const store = yield* CheckpointStore.CheckpointStore
            const tasks = yield* TaskStore.TaskStore
            const log = yield* OutputLog.OutputLog
            const care = yield* StoreCare
            const self = yield* (yield* OwnerIdentity.OwnerIdentity).self
            const kept = yield* createEnded("completed")
            const [gone, needed] = yield* Effect.replicateEffect(startChild("owner", [home]), 2)
            if (gone === undefined || needed === undefined) return yield* Effect.die("no child")
            const [goneOwner = "", goneRun = ""] = (yield* gone.line).split(" ")
            const [neededOwner = ""] = (yield* needed.line).split(" ")
            for (const child of [gone, needed]) child.process.kill("SIGKILL")
            yield* Effect.forEach([gone, needed], (child) => child.end)
            yield* store.reconcile([{ id: Ids.OwnerId.make(goneOwner), cause: "owner_lost" }], Date.now(), 500)
            yield* store.remove([Ids.CheckpointId.make(goneRun)], Date.now())
            yield* log.append(kept.id, [{ at: 1, from: "stdout", text: "stays" }])
            const stray = Ids.CheckpointId.make("ckpt_000000000000")
            yield* log.append(stray, [{ at: 1, from: "stdout", text: "goes" }])
            const begin = (id: string) =>
              tasks.claimLoop({ id, folder: "/work/a", maxTasks: null, replaces: null }, self, 1)
            yield* begin("loop_old")
            yield* tasks.endLoop("loop_old", 2)
            yield* begin("loop_new")
            yield* tasks.endLoop("loop_new", Date.now())
            // Lock files are left alone while they are young.
            const old = new Date(Date.now() - 3_600_000)
            for (const name of Fs.readdirSync(Path.join(home, "owners"))) {
              if (!name.startsWith(self.id)) Fs.utimesSync(Path.join(home, "owners", name), old, old)
            }
            const expected = { locks: 1, owners: 1, loops: 1, outputs: [stray], keptOutputs: 0, crashLogs: 0 }
            const found = yield* care.leftovers
            assert.deepStrictEqual({ ...found }, expected)
            assert.deepStrictEqual({ ...(yield* care.tidy) }, expected)
            assert.deepStrictEqual(
              { ...(yield* care.tidy) },
              { locks: 0, owners: 0, loops: 0, outputs: [], keptOutputs: 0, crashLogs: 0 }
            )
            const rows = plant(databaseIn(home), (database) => ({
              owners: database.prepare("SELECT id FROM owner ORDER BY id").pluck().all(),
              loops: database.prepare("SELECT id FROM task_loop").pluck().all(),
              broken: database.pragma("foreign_key_check")
            }))
            assert.deepStrictEqual(rows, { owners: [self.id, neededOwner].sort(), loops: ["loop_new"], broken: [] })
            assert.deepStrictEqual(
              Fs.readdirSync(Path.join(home, "owners")).sort(),
              [self.id, neededOwner].map((id) => `${id}.lock`).sort()
            )
            assert.deepStrictEqual(Fs.readdirSync(Path.join(home, "output")), [`${kept.id}.ndjson`])
          })
        )
      })
    )
  )

  it.effect("outputs stay where a damaged store was moved aside: they may be its", () =>
    onNewStore(
      Effect.gen(function* () {
        const { home } = yield* StoreInfo
        yield* createEnded("completed")
        yield* (yield* OutputLog.OutputLog).append(Ids.CheckpointId.make("ckpt_000000000000"), [
          { at: 1, from: "stdout", text: "kept" }
        ])
        Fs.writeFileSync(Path.join(home, "alluka-damaged-20261130T224803Z.db"), "")
        const found = yield* (yield* StoreCare).tidy
        assert.deepInclude(found, { outputs: [], keptOutputs: 1 })
        assert.isTrue(Fs.existsSync(Path.join(home, "output", "ckpt_000000000000.ndjson")))
      })
    )
  )
})
