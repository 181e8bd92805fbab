/**
 * A lock that its holder's death frees: an exclusive transaction of SQLite, left open on a small file of its own. It needs
 * no native code beyond SQLite's, a frozen holder keeps it, and no child inherits it.
 *
 * Nothing but SQLite may ever open such a file: closing any other descriptor of it would free the lock.
 */
import * as Fs from "node:fs"
import Sqlite from "better-sqlite3"
import { codeOf } from "../connection/failures.js"

export type Handle = Sqlite.Database

/** Takes the lock of an existing file at once; throws `SQLITE_BUSY` if somebody holds it. */
export const hold = (path: string): Handle => {
  const handle = new Sqlite(path, { fileMustExist: true, timeout: 0 })
  try {
    // No journal file beside it that a prober would find and want to play back.
    handle.pragma("journal_mode = MEMORY")
    handle.exec("BEGIN EXCLUSIVE")
    return handle
  } catch (error) {
    handle.close()
    throw error
  }
}

/** Frees a lock. */
export const free = (handle: Handle): void => {
  handle.close()
}

export type Probe =
  /** A live process holds the lock. */
  | { readonly kind: "held" }
  /** The file can be read, so nobody holds it. */
  | { readonly kind: "free" }
  | { readonly kind: "absent" }
  /** The file is there and says neither. */
  | { readonly kind: "unreadable"; readonly cause: unknown }

/**
 * Looks whether the lock is held, without taking it: the file is opened for reading only and must exist, since a prober
 * that created it would find it free and call that a proof.
 */
export const probe = (path: string): Probe => {
  if (!Fs.existsSync(path)) return { kind: "absent" }
  try {
    const handle = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 0 })
    try {
      handle.prepare("SELECT count(*) FROM sqlite_schema").get()
      return { kind: "free" }
    } finally {
      handle.close()
    }
  } catch (cause) {
    if (codeOf(cause)?.startsWith("SQLITE_BUSY") === true) return { kind: "held" }
    return Fs.existsSync(path) ? { kind: "unreadable", cause } : { kind: "absent" }
  }
}
