/**
 * The index of what runs say, for searching.
 *
 * `run_text` holds three letters at a time, so a text is found in the middle of a word and in any language. It only narrows
 * the rows that are then looked at: it may know too many, and a damaged or missing entry is made anew. Filling it costs more
 * than committing a run, so commits only note in `run_text_pending` what was touched (one row in a small table, and nothing
 * of the index is in their way); a search takes in what is noted, and looks at the rest itself.
 */
import type { Migration } from "./Migration.js"

const note = (row: "NEW" | "OLD"): string =>
  `INSERT INTO run_text_pending (seq) SELECT ${row}.seq
     WHERE NOT EXISTS (SELECT 1 FROM run_text_pending WHERE seq = ${row}.seq);`

/** The table of the index, which can be made again at any time. */
export const runText =
  "CREATE VIRTUAL TABLE run_text USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram', detail = 'none')"

export const search: Migration = {
  version: 3,
  name: "search",
  statements: [
    runText,
    "CREATE TABLE run_text_pending (seq INTEGER PRIMARY KEY) STRICT",
    "INSERT INTO run_text_pending (seq) SELECT seq FROM checkpoint",
    `CREATE TRIGGER checkpoint_says AFTER INSERT ON checkpoint BEGIN ${note("NEW")} END`,
    `CREATE TRIGGER checkpoint_says_else AFTER UPDATE OF title, reason ON checkpoint
     WHEN OLD.title IS NOT NEW.title OR OLD.reason IS NOT NEW.reason BEGIN ${note("NEW")} END`,
    `CREATE TRIGGER checkpoint_says_nothing AFTER DELETE ON checkpoint BEGIN ${note("OLD")} END`
  ]
}
