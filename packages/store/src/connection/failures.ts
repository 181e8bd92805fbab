/**
 * What a failure of the driver or of the file system means for the store. Pure: SQLite's and the system's codes in, the
 * store's typed failures out.
 */
import { CheckpointStore } from "@alluka/core"

type UnavailableCode = CheckpointStore.StoreUnavailable["code"]

/**
 * The code of the innermost cause that has one: `SQLITE_…` from the driver, `E…` from the system. The client of
 * @effect/sql wraps the driver's error in an `SqlError` whose only content is `cause`.
 */
export const codeOf = (cause: unknown): string | null => {
  let current: unknown = cause
  for (let depth = 0; depth < 5 && typeof current === "object" && current !== null; depth++) {
    if ("code" in current && typeof current.code === "string") return current.code
    current = "cause" in current ? current.cause : null
  }
  return null
}

/**
 * Another connection is in the way, and waiting helps. `SQLITE_PROTOCOL` is SQLite's word for a race between processes
 * that open the same write-ahead log; `SQLITE_BUSY_SNAPSHOT` cannot come from a transaction that begins with a write.
 */
export const isBusy = (cause: unknown): boolean => {
  const code = codeOf(cause)
  return (
    code !== null && (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED") || code === "SQLITE_PROTOCOL")
  )
}

/** The file is not, or no longer, a readable database. */
export const isDamage = (cause: unknown): boolean => unavailableCode(codeOf(cause)) === "damaged"

const exact: Readonly<Record<string, UnavailableCode>> = {
  SQLITE_FULL: "disk_full",
  // The shared memory file beside the database could not grow: its folder has no room either.
  SQLITE_IOERR_SHMSIZE: "disk_full",
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  EFBIG: "disk_full",
  EROFS: "read_only",
  SQLITE_PERM: "not_accessible",
  SQLITE_AUTH: "not_accessible",
  SQLITE_NOTADB: "damaged",
  EACCES: "not_accessible",
  EPERM: "not_accessible",
  ENOENT: "not_accessible",
  ENOTDIR: "not_accessible",
  ELOOP: "not_accessible",
  ENAMETOOLONG: "not_accessible"
}

/** The store's word for a code of SQLite or of the system. */
export const unavailableCode = (code: string | null): UnavailableCode => {
  if (code === null) return "io"
  const known = exact[code]
  if (known !== undefined) return known
  if (code.startsWith("SQLITE_READONLY")) return "read_only"
  if (code.startsWith("SQLITE_CANTOPEN")) return "not_accessible"
  if (code.startsWith("SQLITE_CORRUPT")) return "damaged"
  return "io"
}

/** The innermost error: the one whose message says what happened. */
const innermost = (cause: unknown): unknown => {
  let current = cause
  for (let depth = 0; depth < 5; depth++) {
    if (typeof current !== "object" || current === null || !("cause" in current) || current.cause === undefined) break
    current = current.cause
  }
  return current
}

/** The failure of an operation that no waiting helps. */
export const unavailable = (operation: string, path: string, cause: unknown): CheckpointStore.StoreUnavailable =>
  new CheckpointStore.StoreUnavailable({
    operation,
    path,
    code: unavailableCode(codeOf(cause)),
    cause: innermost(cause)
  })

/** The same for a condition that we found ourselves; `what` is a sentence for people that says what to try. */
export const refused = (
  operation: string,
  path: string,
  code: UnavailableCode,
  what: string
): CheckpointStore.StoreUnavailable =>
  new CheckpointStore.StoreUnavailable({ operation, path, code, cause: new Error(what) })
