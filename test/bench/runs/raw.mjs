/** The limit: one row a run and one statement a commit, straight to the driver. With `events`, a row of its own for each commit besides, in one transaction, as a timeline needs it. */
import { join } from "node:path"
import Database from "better-sqlite3"
import { doRuns, said } from "./work.mjs"

const schema = `
  CREATE TABLE run (
    id TEXT PRIMARY KEY, agent TEXT NOT NULL, session_id TEXT NOT NULL, state TEXT NOT NULL, model TEXT NOT NULL,
    position INTEGER NOT NULL DEFAULT 0, last_event TEXT, owner TEXT NOT NULL, epoch INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX run_by_session ON run (session_id, created_at DESC, id DESC);
  CREATE INDEX run_by_state ON run (state, created_at DESC, id DESC);
  CREATE INDEX run_by_both ON run (session_id, state, created_at DESC, id DESC);
  CREATE INDEX run_by_owner ON run (owner) WHERE state = 'running';
  CREATE TABLE event (seq INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL);
  CREATE INDEX event_by_run ON event (run_id);`

const open = (path, synchronous) => {
  const database = new Database(path)
  database.pragma("journal_mode = WAL")
  database.pragma(`synchronous = ${synchronous}`)
  return database
}

export const openRaw = (home, { events = false } = {}) => {
  const path = join(home, "raw.db")
  const synced = open(path, "FULL")
  synced.exec(schema)
  const quick = open(path, "NORMAL")
  const both = (database, statement) => {
    const change = database.prepare(statement)
    if (!events) return (_id, _text, ...params) => change.run(...params)
    const tell = database.prepare("INSERT INTO event (run_id, at, text) VALUES (?, ?, ?)")
    return database.transaction((id, text, ...params) => {
      change.run(...params)
      tell.run(id, Date.now(), text)
    }).immediate
  }
  const insert = both(
    synced,
    "INSERT INTO run (id, agent, session_id, state, model, owner, created_at, updated_at) VALUES (?, 'default', ?, 'running', 'large', 'own', ?, ?)"
  )
  const update = both(
    quick,
    "UPDATE run SET position = ?, last_event = ?, updated_at = ? WHERE id = ? AND epoch = 1 AND state = 'running'"
  )
  const finish = both(
    synced,
    "UPDATE run SET state = 'completed', updated_at = ? WHERE id = ? AND epoch = 1 AND state = 'running'"
  )
  let number = 0
  const store = {
    create: async () => {
      number += 1
      const id = `run_${number.toString(36).padStart(10, "0")}`
      insert(id, "created", id, `session_${number % 200}`, Date.now(), Date.now())
      return {
        progress: async (step) => void update(id, said(step), step, said(step), Date.now(), id),
        end: async () => void finish(id, "completed", Date.now(), id)
      }
    }
  }
  return {
    doRuns: (count) => doRuns(store, count),
    close: async () => {
      quick.close()
      synced.close()
    }
  }
}
