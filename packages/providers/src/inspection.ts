/** The answers to a look at a provider's session. */
import type { Provider } from "@alluka/core"
import { isMissing } from "./process/errno.js"
import type { Row } from "./process/jsonLines.js"

type Inspection = Provider.SessionInspection

/** What is known of a file beside its presence. */
interface Rows {
  readonly lastRowAt: Inspection["lastRowAt"]
  readonly tailBroken: boolean
  readonly brokenLines?: number
}

/** What of a file of rows cannot be read. */
export interface Breakage {
  /** Number of the first broken line that is not the last. */
  readonly broken: number | null
  /** How many such lines. */
  readonly brokenLines: number
  /** The last line was cut. */
  readonly tailBroken: boolean
}

export const unbroken: Breakage = { broken: null, brokenLines: 0, tailBroken: false }

/** Takes a row in that cannot be read: of the last line only its end is missing. */
export const breakAt = <S extends Breakage>(seen: S, { last, line }: Pick<Row, "last" | "line">): S =>
  last ? { ...seen, tailBroken: true } : { ...seen, broken: seen.broken ?? line, brokenLines: seen.brokenLines + 1 }

/** The provider's storage is there, and the session is not in it. */
export const absent = (detail: string, path: string | null = null): Inspection => ({
  presence: "absent",
  path,
  detail,
  lastRowAt: null,
  tailDamaged: false
})

/** The look itself failed: nothing is known. */
export const unknown = (detail: string, path: string | null = null): Inspection => ({
  ...absent(detail, path),
  presence: "unknown"
})

/** Why a look at a place failed, for `unknown`. */
export const notLookedInto = (place: string, cause: unknown): Error =>
  isMissing(cause)
    ? new Error(`${place} is not there`)
    : new Error(`${place} could not be looked into: ${cause instanceof Error ? cause.message : String(cause)}`)

/** The session is there, and a part of it is lost. */
export const damaged = (detail: string, path: string, rows: Rows): Inspection => ({
  presence: "damaged",
  path,
  detail,
  lastRowAt: rows.lastRowAt,
  tailDamaged: rows.tailBroken,
  ...(rows.brokenLines === undefined ? {} : { brokenLines: rows.brokenLines })
})

/** The session is there and can be read. */
export const present = (
  path: string,
  rows: Rows & { readonly promptMissing?: boolean; readonly detail?: string }
): Inspection => ({
  presence: "present",
  path,
  detail:
    rows.detail ??
    (rows.promptMissing === true
      ? "the session file holds no prompt: it must be sent again"
      : rows.tailBroken
        ? "the last line of the session file is cut: its message is lost"
        : null),
  lastRowAt: rows.lastRowAt,
  tailDamaged: rows.tailBroken,
  ...(rows.promptMissing === undefined ? {} : { promptMissing: rows.promptMissing })
})
