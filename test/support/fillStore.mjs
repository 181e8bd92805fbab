/**
 * Fills a store with ended runs, far faster than runs can end: the first goes through the product's own store, and the
 * others are its row and its events, told apart by what a list filters and searches by.
 */
import { join } from "node:path"
import { CheckpointStore, OwnerIdentity } from "@alluka/core"
import { layer } from "@alluka/store"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { endOf, newDraft, newEvent, reasonOf } from "./draft.mjs"

/** The first run of the store, through the front door; it makes the database too. */
const first = (home, title) =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const owner = yield* Effect.flatMap(OwnerIdentity.OwnerIdentity, (identity) => identity.self)
    const checkpoint = yield* store.create(newDraft(title), owner, newEvent("created", title))
    yield* store.end(endOf(checkpoint))
    return checkpoint.id
  }).pipe(Effect.provide(layer({ home })), Effect.runPromise)

const insertInto = (table, columns) =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((name) => `@${name}`).join(", ")})`

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** Twelve characters that no other number has, in no order of the alphabet, as real ids are. */
const idOf = (number) => {
  let rest = (BigInt(number) * 0x9e3779b97f4a7c15n) & 0xfffffffffffffffn
  let text = ""
  for (let index = 0; index < 12; index += 1) {
    text += alphabet[Number(rest & 31n)]
    rest >>= 5n
  }
  return text
}

/**
 * Fills the store of a data folder, which must be new, until it has `count` runs, and answers their number.
 *
 * @param vary what run number `n` (from 2) differs in: `{ title, prompt, state, agent, provider, folder }`, each optional;
 *   a state other than `completed` needs the reason's code and message
 */
export const fillStore = async (home, count, vary = (number) => ({ title: `seeded run ${number}` })) => {
  const id = await first(home, vary(1).title)
  const database = new Database(join(home, "alluka.db"))
  try {
    database.pragma("synchronous = OFF")
    const run = database.prepare("SELECT * FROM checkpoint WHERE id = ?").get(id)
    delete run.listed
    const events = database.prepare("SELECT * FROM event WHERE checkpoint_id = ? ORDER BY seq").all(id)
    const addRun = database.prepare(insertInto("checkpoint", Object.keys(run)))
    const addEvent = database.prepare(insertInto("event", Object.keys(events[0])))
    const spec = JSON.parse(run.spec)
    const progress = JSON.parse(run.progress)
    const add = (number) => {
      const { agent, folder, prompt, provider = run.provider, reason = null, state = "completed", title } = vary(number)
      const seq = run.seq + (number - 1) * events.length
      const own = `ckpt_${idOf(number)}`
      const [phase] = progress.phases
      addRun.run({
        ...run,
        seq,
        id: own,
        root_id: own,
        session_id: `ses_${idOf(number)}`,
        agent: agent ?? run.agent,
        folder: folder ?? run.folder,
        title,
        provider,
        state,
        reason: reason === null ? null : JSON.stringify(reasonOf(reason)),
        reason_code: reason?.code ?? null,
        started_at: run.started_at - (count - number),
        updated_at: run.updated_at - (count - number),
        ended_at: run.ended_at - (count - number),
        spec: JSON.stringify({
          ...spec,
          provider,
          prompt: prompt ?? spec.prompt,
          workspace: { ...spec.workspace, realPath: folder ?? spec.workspace.realPath }
        }),
        progress: JSON.stringify({ ...progress, phases: [{ ...phase, provider, state }] })
      })
      events.forEach((event, index) => {
        addEvent.run({ ...event, seq: seq + index, checkpoint_id: own, at: event.at - (count - number) })
      })
    }
    database.transaction(() => {
      for (let number = 2; number <= count; number += 1) add(number)
    })()
    database.pragma("wal_checkpoint(TRUNCATE)")
  } finally {
    database.close()
  }
  return count
}
