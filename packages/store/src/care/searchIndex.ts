/** Whether the index of the search knows the rows that there are. Pure. */
import type { Row } from "../connection/Sql.js"

/**
 * Counts what the index does not know and what it knows too much. Every row that it knows is in `run_text_docsize`; those
 * that are noted as pending need not be there.
 */
export const searchCounts = `SELECT
  (SELECT count(*) FROM checkpoint
    WHERE seq NOT IN (SELECT id FROM run_text_docsize) AND seq NOT IN (SELECT seq FROM run_text_pending)) AS missing,
  (SELECT count(*) FROM run_text_docsize
    WHERE id NOT IN (SELECT seq FROM checkpoint) AND id NOT IN (SELECT seq FROM run_text_pending)) AS surplus`

/** What the counts mean, one sentence each. */
export const searchFaultsOf = ([row]: ReadonlyArray<Row>): ReadonlyArray<string> => [
  ...(row?.missing === 0 ? [] : [`${row?.missing} runs are missing from the index of the search`]),
  ...(row?.surplus === 0 ? [] : [`${row?.surplus} entries of the index of the search belong to no run`])
]

/** What is said where they cannot be counted. */
export const unreadable: ReadonlyArray<string> = ["the index of the search cannot be read"]

/** A sentence of `integrity_check` about the index. It holds nothing of its own, so it can always be made anew. */
export const isAboutSearch = (said: string): boolean => /\bfts5\b.*\brun_text\b/i.test(said)
