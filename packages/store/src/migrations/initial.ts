/**
 * The first schema.
 *
 * What is queried, or written by somebody other than the owner of a run, is a column of `checkpoint`; what only the owner
 * writes is the JSON in `progress`, and what never changes the JSON in `spec`. Times are milliseconds since 1970.
 *
 * `seq` is the store-wide number of the row's `created` event, so it is the order of creation whatever the clocks said.
 *
 * `is_tip`: the newest attempt of its lineage that reached the conversation, else the root. Kept by the transactions that
 * change it: a new run is a tip; an attempt that resumes is none until its conversation was seen open, and then takes it
 * over from its source, whose `resumed_by` names it.
 *
 * `listed`: what lists show by default: not dismissed, and the tip, or running. A running attempt that has not reached the
 * conversation yet is shown beside its source: people look for what they just started, and the source is what remains if
 * it does not come to anything. Computed, so it cannot be wrong. Lists take an equality of `listed`, `state` and at most
 * one more column from an index, each of which goes on with the rowid (`seq`): the indexes serve every page in constant
 * time, whatever the number of rows.
 */
import type { Migration } from "./Migration.js"

const owner = `CREATE TABLE owner (
  id TEXT NOT NULL PRIMARY KEY,
  host TEXT NOT NULL,
  boot_id TEXT,
  pid INTEGER NOT NULL,
  pid_start TEXT,
  pid_namespace TEXT,
  started_at INTEGER NOT NULL,
  version TEXT
) STRICT, WITHOUT ROWID`

const event = `CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  checkpoint_id TEXT NOT NULL,
  task_id TEXT,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  phase INTEGER NOT NULL,
  message TEXT NOT NULL,
  payload TEXT NOT NULL
) STRICT`

const checkpoint = `CREATE TABLE checkpoint (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  task_id TEXT,
  key TEXT,
  title TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT,
  provider_session_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('running', 'completed', 'interrupted', 'failed', 'cancelled')),
  reason TEXT,
  reason_code TEXT,
  cancel_requested TEXT,
  started_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at INTEGER,
  reconciled_at INTEGER,
  dismissed_at INTEGER,
  attempt INTEGER NOT NULL,
  root_id TEXT NOT NULL,
  resumed_from TEXT,
  resumed_by TEXT,
  forked_from TEXT,
  is_tip INTEGER NOT NULL CHECK (is_tip IN (0, 1)),
  owner_id TEXT NOT NULL REFERENCES owner (id) DEFERRABLE INITIALLY DEFERRED,
  folder TEXT NOT NULL,
  labels TEXT NOT NULL,
  listed INTEGER NOT NULL GENERATED ALWAYS AS (dismissed_at IS NULL AND (is_tip = 1 OR state = 'running')) VIRTUAL,
  progress TEXT NOT NULL,
  spec TEXT NOT NULL
) STRICT`

/** What no two running checkpoints may share, and what no two live or completed ones may. */
const uniqueness = [
  "CREATE UNIQUE INDEX checkpoint_running_lineage ON checkpoint (root_id) WHERE state = 'running'",
  "CREATE UNIQUE INDEX checkpoint_running_session ON checkpoint (session_id) WHERE state = 'running'",
  `CREATE UNIQUE INDEX checkpoint_running_provider_session ON checkpoint (provider, provider_session_id)
     WHERE state = 'running' AND provider_session_id IS NOT NULL`,
  "CREATE UNIQUE INDEX checkpoint_key ON checkpoint (key) WHERE key IS NOT NULL AND state IN ('running', 'completed')"
]

const lists = [
  "CREATE INDEX checkpoint_by_state ON checkpoint (listed, state)",
  "CREATE INDEX checkpoint_by_session ON checkpoint (session_id, listed, state)",
  "CREATE INDEX checkpoint_by_agent ON checkpoint (agent, listed, state)",
  "CREATE INDEX checkpoint_by_folder ON checkpoint (folder, listed, state)",
  "CREATE INDEX checkpoint_by_provider ON checkpoint (provider, listed, state)",
  "CREATE INDEX checkpoint_by_update ON checkpoint (listed, updated_at)",
  "CREATE INDEX checkpoint_by_start ON checkpoint (started_at)",
  "CREATE INDEX checkpoint_by_root ON checkpoint (root_id)",
  "CREATE INDEX checkpoint_by_owner ON checkpoint (owner_id) WHERE state = 'running'",
  "CREATE INDEX event_by_checkpoint ON event (checkpoint_id)"
]

/** Counting a million rows takes a tenth of a second; these triggers keep the counts of the listed ones. */
const counts = [
  `CREATE TABLE state_count (
     agent TEXT NOT NULL,
     state TEXT NOT NULL,
     count INTEGER NOT NULL,
     PRIMARY KEY (agent, state)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER checkpoint_counted AFTER INSERT ON checkpoint WHEN NEW.listed = 1 BEGIN
     INSERT INTO state_count (agent, state, count) VALUES (NEW.agent, NEW.state, 1)
       ON CONFLICT (agent, state) DO UPDATE SET count = count + 1;
   END`,
  `CREATE TRIGGER checkpoint_uncounted AFTER DELETE ON checkpoint WHEN OLD.listed = 1 BEGIN
     UPDATE state_count SET count = count - 1 WHERE agent = OLD.agent AND state = OLD.state;
   END`,
  `CREATE TRIGGER checkpoint_recounted AFTER UPDATE OF agent, state, is_tip, dismissed_at ON checkpoint
   WHEN OLD.listed <> NEW.listed OR OLD.state <> NEW.state OR OLD.agent <> NEW.agent BEGIN
     UPDATE state_count SET count = count - 1 WHERE OLD.listed = 1 AND agent = OLD.agent AND state = OLD.state;
     INSERT INTO state_count (agent, state, count) SELECT NEW.agent, NEW.state, 1 WHERE NEW.listed = 1
       ON CONFLICT (agent, state) DO UPDATE SET count = count + 1;
   END`
]

export const initial: Migration = {
  version: 1,
  name: "initial",
  statements: [owner, event, checkpoint, ...uniqueness, ...lists, ...counts]
}
