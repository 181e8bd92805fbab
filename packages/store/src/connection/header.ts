/**
 * The first bytes of a database file, read without SQLite: opening a file with SQLite may already write beside it, and a
 * file of a newer program, or a damaged one, must stay as it is. https://www.sqlite.org/fileformat2.html#the_database_header
 */
import * as Fs from "node:fs"

export type Header =
  /** Missing or empty: a new store. */
  | { readonly kind: "fresh" }
  | { readonly kind: "database"; readonly userVersion: number }
  | { readonly kind: "not_a_database" }
  /** The file could not be read without harm; SQLite must be asked. */
  | { readonly kind: "unread" }

const magic = "SQLite format 3\u0000"

/** Reads what the first 100 bytes of a file say. Pure. */
export const parseHeader = (bytes: Uint8Array): Header => {
  if (bytes.length === 0) return { kind: "fresh" }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = Array.from(bytes.subarray(0, magic.length), (byte) => String.fromCharCode(byte)).join("")
  if (bytes.length < 100 || found !== magic) return { kind: "not_a_database" }
  return { kind: "database", userVersion: view.getInt32(60) }
}

/**
 * Whether some part of this process (another bundle, a worker) has the file open. Closing any descriptor of a file drops
 * every POSIX lock that the process holds on it, SQLite's too, so then the file must not be touched outside SQLite. Only
 * Linux can tell; elsewhere the answer is yes.
 */
const openInThisProcess = (path: string): boolean => {
  if (process.platform !== "linux") return true
  return Fs.readdirSync("/proc/self/fd").some((fd) => {
    try {
      return Fs.readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  })
}

/** The header of the file at a real path. Throws what the system says. */
export const readHeader = (path: string): Header => {
  if ((Fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return { kind: "fresh" }
  if (openInThisProcess(path)) return { kind: "unread" }
  const fd = Fs.openSync(path, Fs.constants.O_RDONLY | Fs.constants.O_NOFOLLOW)
  try {
    const bytes = new Uint8Array(100)
    return parseHeader(bytes.subarray(0, Fs.readSync(fd, bytes, 0, bytes.length, 0)))
  } finally {
    Fs.closeSync(fd)
  }
}
