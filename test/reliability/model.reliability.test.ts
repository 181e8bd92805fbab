/**
 * Three actors create, work on, end, cancel, lose, sweep, claim and resume runs in any order, and crash in between. After
 * every step the database holds what the model says, to the row.
 */
import { join } from "node:path"
import { CheckpointStore, Ids, type OwnerIdentity } from "@alluka/core"
import { layer } from "@alluka/store"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { newDraft, newEvent } from "../support/draft.mjs"
import { openWorld } from "../support/world.js"
import { Model, type Run, type State } from "./model.js"
import { size } from "./size.js"

const sequences = size({ short: 40, full: 1000 })
const steps = 50
const actors = 3

type Store = CheckpointStore.CheckpointStore["Type"]

/** The database under test. Each sequence works with ids of its own in it. */
interface Real {
  readonly store: Store
  readonly database: Database.Database
  /** Names of this sequence's sessions and conversations. */
  readonly prefix: string
}

const random = (): string =>
  Array.from({ length: 12 }, () => "0123456789abcdefghjkmnpqrstvwxyz"[Math.floor(Math.random() * 32)]).join("")

const ownerOf = (id: string): OwnerIdentity.OwnerRecord => ({
  id: Ids.OwnerId.make(id),
  host: "here",
  bootId: "boot",
  pid: 1,
  pidStart: "1",
  pidNamespace: null
})

const run = <A, E>(effect: Effect.Effect<A, E>): Promise<Either.Either<A, E>> =>
  Effect.runPromise(Effect.either(effect))

/** `ok`, or the tag of the failure. */
const outcome = <A, E extends { readonly _tag: string }>(result: Either.Either<A, E>): string =>
  Either.match(result, { onLeft: ({ _tag }) => _tag, onRight: () => "ok" })

const rows = `SELECT id, session_id AS session, root_id AS root, resumed_from AS source, attempt, owner_id AS owner, state,
    provider_session_id AS conversation, resumed_by AS resumedBy, is_tip AS tip, cancel_requested IS NOT NULL AS cancelAsked,
    (SELECT count(*) FROM event e WHERE e.checkpoint_id = c.id AND e.kind = 'message') AS steps
  FROM checkpoint c WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq`

const agree = ({ runs }: Model, { database }: Real): void => {
  const found = database.prepare(rows).all(JSON.stringify(runs.map(({ id }) => id))) as Array<Record<string, unknown>>
  expect(found.map((row) => ({ ...row, tip: row.tip === 1, cancelAsked: row.cancelAsked === 1 }))).toEqual(runs)
  for (const { root } of runs) {
    const lineage = runs.filter((one) => one.root === root)
    expect(lineage.filter(({ tip }) => tip)).toHaveLength(1)
    expect(lineage.filter(({ state }) => state === "running").length).toBeLessThanOrEqual(1)
  }
}

/** A step of the game; `act` changes both sides and compares what the store answered. */
const command = (name: string, act: (model: Model, real: Real) => Promise<void>): fc.AsyncCommand<Model, Real> => ({
  check: () => true,
  run: async (model, real) => {
    await act(model, real)
    agree(model, real)
  },
  toString: () => name
})

const create = (actor: number, session: number) =>
  command(`actor ${actor} creates a run in session ${session}`, async (model, { prefix, store }) => {
    const owner = model.actors[actor] ?? ""
    const draft = { ...newDraft("modelled"), sessionId: Ids.SessionId.make(`ses_${prefix}${session}`) }
    const busy = model.running((one) => one.session === draft.sessionId) !== undefined
    const made = await run(store.create(draft, ownerOf(owner), newEvent("created", "created")))
    expect(outcome(made)).toBe(busy ? "Conflict" : "ok")
    if (!busy) model.begin({ id: draft.id, owner, session: draft.sessionId })
  })

const write = (one: Run, owner: string, conversation: string | null, confirms: string | null) => {
  const { progress } = newDraft("modelled")
  const [phase] = progress.phases
  const providerSession =
    conversation === null ? null : { id: conversation, assignedBy: "provider" as const, seenAt: null, location: null }
  return {
    id: Ids.CheckpointId.make(one.id),
    owner: Ids.OwnerId.make(owner),
    taskId: null,
    progress: { ...progress, phases: phase === undefined ? [] : [{ ...phase, providerSession }] },
    at: Date.now(),
    events: [newEvent("message", "a step")],
    confirmsResumeOf: confirms === null ? null : Ids.CheckpointId.make(confirms)
  }
}

const progress = (actor: number, number: number, conversation: number | null, confirms: boolean) =>
  command(
    `actor ${actor} works on run ${number}${conversation === null ? "" : ` in conversation ${conversation}`}${confirms ? ", reached" : ""}`,
    async (model, { prefix, store }) => {
      const one = model.run(number)
      if (one === undefined) return
      const named = conversation === null ? one.conversation : `${prefix}-${conversation}`
      const source = confirms ? one.source : null
      const answer = await run(
        store.progress({ ...write(one, model.as(actor, one), named, source), durability: "normal" })
      )
      if (!model.owns(actor, one)) return expect(outcome(answer)).toBe("Fenced")
      const taken = named !== null && model.running((other) => other !== one && other.conversation === named)
      if (taken) return expect(outcome(answer)).toBe("Conflict")
      expect(outcome(answer)).toBe("ok")
      one.conversation = named
      one.steps += 1
      if (source !== null) model.confirm(one)
    }
  )

const end = (actor: number, number: number, state: Exclude<State, "running">) =>
  command(`actor ${actor} ends run ${number} as ${state}`, async (model, { store }) => {
    const one = model.run(number)
    if (one === undefined) return
    const written = write(one, model.as(actor, one), one.conversation, null)
    const answer = await run(store.end({ ...written, events: [], state, reason: null, endedAt: Date.now() }))
    expect(outcome(answer)).toBe(model.owns(actor, one) ? "ok" : "Fenced")
    if (model.owns(actor, one)) one.state = state
  })

const cancel = (number: number) =>
  command(`somebody cancels run ${number}`, async (model, { store }) => {
    const one = model.run(number)
    if (one === undefined) return
    const request = { at: Date.now(), by: "a person", code: "cancelled_by_user" } as const
    expect(outcome(await run(store.requestCancel(Ids.CheckpointId.make(one.id), request)))).toBe("ok")
    if (one.state === "running") one.cancelAsked = true
  })

const crash = (actor: number) =>
  command(`actor ${actor} crashes`, async (model) => {
    model.dead.add(model.actors[actor] ?? "")
    model.actors[actor] = `own_${random()}`
  })

const sweep = command("somebody sweeps", async (model, { store }) => {
  const dead = [...model.dead].map((id) => ({ id: Ids.OwnerId.make(id), cause: "owner_lost" as const }))
  const ended = await run(store.reconcile(dead, Date.now(), 5000))
  expect(Either.getOrThrow(ended)).toEqual(model.sweep())
})

const claim = (actor: number, number: number) =>
  command(`actor ${actor} claims run ${number}`, async (model, { store }) => {
    const source = model.run(number)
    if (source === undefined) return
    const owner = model.actors[actor] ?? ""
    const id = Ids.CheckpointId.make(source.id)
    const attempt = source.attempt + 1
    const draft = {
      ...newDraft("modelled"),
      sessionId: Ids.SessionId.make(source.session),
      attempt,
      rootId: Ids.CheckpointId.make(source.root),
      resumedFrom: id
    }
    const granted = model.grants(source)
    const answer = await run(
      store.claim(draft, ownerOf(owner), ["interrupted", "failed"], newEvent("created", "claimed"))
    )
    expect(Option.isSome(Either.getOrThrow(answer))).toBe(granted)
    if (granted) {
      model.begin({ id: draft.id, owner, session: source.session, root: source.root, source: id, attempt, tip: false })
    }
  })

const actor = fc.nat({ max: actors - 1 })
/** Mostly the one that has the run, since everything else is turned away. */
const somebody = fc.nat({ max: actors + 3 })
/** Mostly one of the newest, so that steps follow on one another. */
const number = fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 1 }) }, { weight: 1, arbitrary: fc.nat({ max: 8 }) })
const ending = fc.constantFrom("completed", "interrupted", "interrupted", "failed", "cancelled")

const game = fc.commands(
  [
    fc.tuple(actor, fc.nat({ max: 5 })).map((args) => create(...args)),
    fc.tuple(somebody, number, fc.option(fc.nat({ max: 2 })), fc.boolean()).map((args) => progress(...args)),
    fc.tuple(somebody, number, fc.constant(null), fc.constant(true)).map((args) => progress(...args)),
    fc.tuple(somebody, number, ending).map((args) => end(...args)),
    fc.tuple(somebody, number, ending).map((args) => end(...args)),
    number.map(cancel),
    actor.map(crash),
    fc.constant(sweep),
    fc.tuple(actor, number).map((args) => claim(...args)),
    fc.tuple(actor, number).map((args) => claim(...args))
  ],
  { maxCommands: steps, size: "max" }
)

test(`the database does what the model does, in ${sequences} sequences of up to ${steps} steps`, async () => {
  const world = openWorld()
  const runtime = ManagedRuntime.make(layer({ home: world.store }))
  try {
    const store = await runtime.runPromise(CheckpointStore.CheckpointStore)
    const database = new Database(join(world.store, "alluka.db"), { readonly: true })
    await fc.assert(
      fc.asyncProperty(game, (commands) =>
        fc.asyncModelRun(
          () => ({
            model: new Model(Array.from({ length: actors }, () => `own_${random()}`)),
            real: { store, database, prefix: random().slice(0, 11) }
          }),
          commands
        )
      ),
      { numRuns: sequences, endOnFailure: false }
    )
    // The counts that triggers keep are those of the rows, after everything that happened.
    const counted = database.prepare(
      "SELECT state, sum(count) AS count FROM state_count GROUP BY state HAVING count > 0"
    )
    const real = database.prepare("SELECT state, count(*) AS count FROM checkpoint WHERE listed = 1 GROUP BY state")
    expect(counted.all()).toEqual(real.all())
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok")
    database.close()
  } finally {
    await runtime.dispose()
  }
}, 1_200_000)
