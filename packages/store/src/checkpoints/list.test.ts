import { type Checkpoint, CheckpointStore, Checkpoints, OwnerIdentity, Scope, State } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import fc from "fast-check"
import { StoreInfo } from "../StoreInfo.js"
import {
  at,
  createEnded,
  createRunning,
  endAs,
  newEvent,
  noProgress,
  onNewStore,
  plant,
  resumeDraft,
  spec
} from "../support/fixtures.js"
import { decode, encode } from "./cursor.js"
import { listStatement } from "./listQuery.js"
import { containsPattern } from "./searchText.js"

const { everything } = Checkpoints
type ListQuery = CheckpointStore.ListQuery

/** Follows the cursors to the end. */
const everyPage = (scope: Scope.Scope, query: ListQuery) =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const found: Array<Checkpoint.Checkpoint> = []
    let cursor: string | null = null
    for (let pages = 0; pages < 500; pages++) {
      const page: CheckpointStore.CheckpointPage = yield* store.list(scope, { ...query, cursor })
      found.push(...page.items)
      cursor = page.nextCursor
      if (cursor === null) return found
      assert.isAbove(page.items.length, 0)
    }
    return assert.fail("the pages do not end")
  })

/** What a list should show, worked out from all rows in memory. */
const expected = (
  all: ReadonlyArray<Checkpoint.Checkpoint>,
  scope: Scope.Scope,
  query: ListQuery
): ReadonlyArray<Checkpoint.Checkpoint> => {
  const byId = new Map(all.map((row) => [row.id, row]))
  const isTip = (row: Checkpoint.Checkpoint) =>
    row.resumedBy === null && (row.resumedFrom === null || byId.get(row.resumedFrom)?.resumedBy === row.id)
  const isLive = (row: Checkpoint.Checkpoint) =>
    all.some((other) => other.rootId === row.rootId && other.state === "running")
  const order: Record<ListQuery["sort"], (a: Checkpoint.Checkpoint, b: Checkpoint.Checkpoint) => number> = {
    newest: (a, b) => b.seq - a.seq,
    oldest: (a, b) => a.seq - b.seq,
    updated: (a, b) => b.updatedAt - a.updatedAt || b.seq - a.seq
  }
  return all
    .filter((row) => Scope.allows(scope, row))
    .filter((row) => query.states.length === 0 || query.states.includes(row.state))
    .filter((row) => query.agent === null || row.agent === query.agent)
    .filter((row) => query.sessionId === null || row.sessionId === query.sessionId)
    .filter((row) => query.provider === null || row.progress.phases[0]?.provider === query.provider)
    .filter((row) => query.folder === null || row.spec.workspace.realPath === query.folder)
    .filter((row) => query.since === null || row.startedAt >= query.since)
    .filter((row) => query.until === null || row.startedAt <= query.until)
    .filter((row) => query.search === null || row.title.includes(query.search))
    .filter((row) => query.dismissed === true || (row.dismissedAt !== null) === (query.dismissed === "only"))
    .filter((row) =>
      query.resumable
        ? isTip(row) && !isLive(row) && row.state !== "running" && row.state !== "completed"
        : query.attempts || isTip(row) || row.state === "running"
    )
    .sort(order[query.sort])
}

const pick = <A>(values: ReadonlyArray<A>, n: number): A | undefined => values[n % values.length]

/** A small world with every kind of row in it. */
const world = Effect.gen(function* () {
  const store = yield* CheckpointStore.CheckpointStore
  const owner = yield* (yield* OwnerIdentity.OwnerIdentity).self
  const codes = { interrupted: "shutdown", failed: "provider_error", cancelled: "cancelled_by_user" } as const
  const sessions: Array<Checkpoint.Checkpoint["sessionId"]> = []
  for (let n = 0; n < 60; n++) {
    const session = n % 4 === 3 ? sessions[n % 3] : undefined
    const draft = {
      agent: pick(["default", "reviewer"], n) ?? "default",
      title: pick(["mend the roof", "paint 100% of it", "paint_the_fence"], n) ?? "",
      spec: spec(pick(["/work/a", "/work/b"], Math.floor(n / 2)) ?? ""),
      progress: noProgress(pick(["claude", "codex", "demo"], n)),
      startedAt: at + ((n * 7) % 60) * 1000,
      updatedAt: at + ((n * 11) % 60) * 1000,
      ...(session === undefined ? {} : { sessionId: session })
    }
    const run = yield* createRunning(draft)
    if (n < 3) sessions.push(run.sessionId)
    const state = pick(State.EndState.literals, n) ?? "completed"
    // Runs of a shared session must end before the next of it begins.
    const alone = n >= 3 && session === undefined
    if (n % 10 === 9 && alone) continue
    yield* store.end({
      id: run.id,
      owner: owner.id,
      taskId: null,
      progress: run.progress,
      at: draft.updatedAt + 1,
      endedAt: draft.updatedAt + 1,
      events: [],
      confirmsResumeOf: null,
      state,
      reason: null
    })
    if (n % 6 === 2) yield* store.dismiss(run.id, at)
    if (state !== "completed" && n % 3 !== 0) {
      const attempt = yield* store.claim(
        { ...(yield* resumeDraft(run, { ...draft, attempt: 2, sessionId: run.sessionId })) },
        owner,
        [state],
        newEvent("created")
      )
      if (Option.isNone(attempt)) continue
      const { value } = attempt
      const write = { id: value.id, owner: owner.id, taskId: null, progress: value.progress, at: at + n, events: [] }
      if (n % 2 === 0) yield* store.progress({ ...write, durability: "normal", confirmsResumeOf: run.id })
      if (n % 5 !== 0 || !alone) yield* endAs(value, state, codes[state])
    }
  }
})

const query: fc.Arbitrary<ListQuery> = fc.record({
  states: fc.uniqueArray(fc.constantFrom(...State.State.literals), { maxLength: 5 }),
  agent: fc.option(fc.constantFrom("default", "reviewer", "nobody")),
  sessionId: fc.constant(null),
  provider: fc.option(fc.constantFrom("claude", "demo")),
  model: fc.constant(null),
  resumable: fc.boolean(),
  folder: fc.option(fc.constantFrom("/work/a", "/work/b")),
  since: fc.option(fc.constantFrom(at, at + 20_000, at + 90_000)),
  until: fc.option(fc.constantFrom(at - 1, at + 30_000, at + 90_000)),
  search: fc.option(fc.constantFrom("paint", "100%", "t_the", "%", "fence")),
  attempts: fc.boolean(),
  dismissed: fc.constantFrom(true, false, "only" as const),
  sort: fc.constantFrom("newest", "oldest", "updated"),
  limit: fc.integer({ min: 1, max: 40 }),
  cursor: fc.constant(null)
})

describe("lists", () => {
  it.effect("show what was asked for, page by page, in order, each row once", () =>
    onNewStore(
      Effect.gen(function* () {
        yield* world
        const store = yield* CheckpointStore.CheckpointStore
        const all = yield* everyPage(Scope.operator, { ...everything, attempts: true, dismissed: true, limit: 7 })
        assert.isAbove(all.length, 60)
        const session = all.at(-1)?.sessionId ?? null
        const scopes = [
          Scope.operator,
          Scope.agent("default"),
          Scope.agent("reviewer"),
          Scope.agent("default", session),
          Scope.agent("nobody")
        ]
        const samples = fc.sample(fc.tuple(query, fc.constantFrom(...scopes), fc.boolean()), {
          numRuns: 400,
          seed: 20261130
        })
        for (const [asked, scope, inSession] of samples) {
          const narrowed = inSession ? { ...asked, sessionId: session } : asked
          const shown = yield* everyPage(scope, narrowed)
          assert.deepStrictEqual(
            shown.map(({ seq }) => seq),
            expected(all, scope, narrowed).map(({ seq }) => seq),
            JSON.stringify([scope, narrowed])
          )
          const { total } = yield* store.list(scope, narrowed)
          if (total !== null) assert.strictEqual(total, shown.length, JSON.stringify([scope, narrowed]))
        }
      })
    )
  )

  it.effect("count what they show by default, whatever happens", () =>
    onNewStore(
      Effect.gen(function* () {
        yield* world
        const store = yield* CheckpointStore.CheckpointStore
        const { path } = yield* StoreInfo
        for (const scope of [Scope.operator, Scope.agent("default"), Scope.agent("reviewer"), Scope.agent("nobody")]) {
          const shown = yield* everyPage(scope, everything)
          const counted = yield* store.counts(scope)
          for (const state of State.State.literals) {
            assert.strictEqual(counted[state], shown.filter((row) => row.state === state).length, state)
          }
          assert.strictEqual((yield* store.list(scope, everything)).total, shown.length)
        }
        const [first] = yield* everyPage(Scope.operator, { ...everything, states: ["interrupted"] })
        assert.isDefined(first)
        if (first === undefined) return
        const inSession = yield* store.counts(Scope.agent(first.agent, first.sessionId))
        assert.isAtLeast(inSession.interrupted, 1)
        const all = yield* everyPage(Scope.operator, { ...everything, attempts: true, dismissed: true })
        yield* store.remove(
          all.map(({ id }) => id),
          at
        )
        const { running, ...ended } = yield* store.counts(Scope.operator)
        const left = plant(path, (database) =>
          database.prepare("SELECT count(*) FROM checkpoint WHERE listed = 1").pluck().get()
        )
        assert.strictEqual(
          Object.values(ended).reduce((sum, n) => sum + n, running),
          left
        )
      })
    )
  )

  it.effect("go on where they were although rows come and go", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const runs = yield* Effect.replicateEffect(createEnded("completed"), 6)
        const first = yield* store.list(Scope.operator, { ...everything, limit: 2 })
        yield* createRunning()
        yield* store.remove([...runs.slice(4, 5).map(({ id }) => id)], at)
        const second = yield* store.list(Scope.operator, { ...everything, limit: 2, cursor: first.nextCursor })
        assert.deepStrictEqual(
          second.items.map(({ id }) => id),
          [runs[3]?.id, runs[2]?.id]
        )
      })
    )
  )

  it.effect("say so when a cursor is none of theirs", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const good = encode("newest", { seq: 5, updatedAt: at })
        for (const cursor of ["", "x", "bnVsbA", encode("updated", { seq: 1, updatedAt: 1 }), `${good}AAAA`]) {
          const error = yield* Effect.flip(store.list(Scope.operator, { ...everything, cursor }))
          assert.strictEqual(error._tag, "InvalidCursor", cursor)
        }
        assert.deepStrictEqual((yield* store.list(Scope.operator, { ...everything, cursor: good })).items, [])
      })
    )
  )

  it.effect("find a model by what was asked for and by what was reported", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const progress = noProgress()
        const [phase] = progress.phases
        assert.isDefined(phase)
        if (phase === undefined) return
        const model = { requested: "opus[1m]", actual: "claude-opus-4-8" }
        const run = yield* createRunning({ progress: { ...progress, phases: [{ ...phase, model }] } })
        yield* createRunning()
        for (const asked of ["opus[1m]", "claude-opus-4-8"]) {
          const { items } = yield* store.list(Scope.operator, { ...everything, model: asked })
          assert.deepStrictEqual(
            items.map(({ id }) => id),
            [run.id]
          )
        }
        assert.deepStrictEqual((yield* store.list(Scope.operator, { ...everything, model: "opus" })).items, [])
      })
    )
  )

  it.effect("search titles, prompts and ids, and no character is a wildcard", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const run = yield* createRunning({ title: "100% done", spec: { ...spec(), prompt: 'say "hello\\world"' } })
        yield* createRunning({ title: "1000 done" })
        const found = (search: string) =>
          Effect.map(store.list(Scope.operator, { ...everything, search }), ({ items }) => items.map(({ id }) => id))
        assert.deepStrictEqual(yield* found("100%"), [run.id])
        assert.deepStrictEqual(yield* found("hello\\world"), [run.id])
        assert.deepStrictEqual(yield* found(run.id.slice(5)), [run.id])
        assert.deepStrictEqual(yield* found("_00% d"), [])
        assert.strictEqual((yield* found("")).length, 2)
        assert.strictEqual(containsPattern("a%b_c\\"), "%a\\%b\\_c\\\\%")
      })
    )
  )
})

describe("the statements of lists", () => {
  const plans: ReadonlyArray<readonly [string, Scope.Scope, Partial<ListQuery>, string]> = [
    ["everything", Scope.operator, {}, "checkpoint_by_state"],
    ["by state", Scope.operator, { states: ["failed", "interrupted"] }, "checkpoint_by_state"],
    ["resumable", Scope.operator, { resumable: true }, "checkpoint_by_state"],
    ["every attempt", Scope.operator, { attempts: true, dismissed: true }, "checkpoint_by_state"],
    ["of an agent", Scope.agent("a"), {}, "checkpoint_by_agent"],
    ["of an agent by state", Scope.agent("a"), { states: ["failed"] }, "checkpoint_by_agent"],
    ["of a folder", Scope.operator, { folder: "/w" }, "checkpoint_by_folder"],
    ["of a provider", Scope.operator, { provider: "p" }, "checkpoint_by_provider"],
    ["by update", Scope.operator, { sort: "updated" }, "checkpoint_by_update"],
    ["running by update", Scope.operator, { sort: "updated", states: ["running"] }, "checkpoint_by_state"]
  ]

  it.effect("walk an index and sort no more than a page", () =>
    onNewStore(
      Effect.gen(function* () {
        const { path } = yield* StoreInfo
        for (const [name, scope, changes, index] of plans) {
          for (const place of [null, { seq: 10, updatedAt: at }]) {
            const statement = listStatement(scope, { ...everything, ...changes }, place)
            assert.isNotNull(statement)
            if (statement === null) continue
            const plan = plant(path, (database) =>
              database
                .prepare(`EXPLAIN QUERY PLAN ${statement.sql}`)
                .all(...statement.params)
                .map((row) => (row as { readonly detail: string }).detail)
            )
            const walks = plan.filter(
              (detail) => /^(SEARCH|SCAN) c\b/.test(detail) && !detail.includes("INTEGER PRIMARY KEY")
            )
            assert.isNotEmpty(walks, name)
            for (const walk of walks)
              assert.match(walk, new RegExp(`^SEARCH c USING (COVERING )?INDEX ${index} \\(`), name)
            assert.isFalse(
              plan.some((detail) => /^SCAN (c|checkpoint)\b/.test(detail)),
              `${name}: ${plan.join("; ")}`
            )
          }
        }
      })
    )
  )

  it("exclude each other without asking the database", () => {
    const impossible: ReadonlyArray<readonly [Scope.Scope, Partial<ListQuery>]> = [
      [Scope.agent("a"), { agent: "b" }],
      [Scope.operator, { resumable: true, states: ["running", "completed"] }]
    ]
    for (const [scope, changes] of impossible) assert.isNull(listStatement(scope, { ...everything, ...changes }, null))
  })
})

describe("cursors", () => {
  it("come back as they were", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("newest", "oldest", "updated"),
        fc.maxSafeNat(),
        fc.maxSafeNat(),
        (sort, seq, updatedAt) => {
          assert.deepStrictEqual(decode(sort, encode(sort, { seq, updatedAt })), Option.some({ seq, updatedAt }))
        }
      )
    )
  })

  it("anything else is none", () => {
    fc.assert(fc.property(fc.string(), (text) => Option.isNone(decode("newest", text)) || text.length > 8))
  })
})
