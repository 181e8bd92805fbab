/** Files that only their owner can read: created with their final mode, never through a link that somebody else laid. */
import * as Fs from "node:fs"

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR, O_WRONLY } = Fs.constants

/** Mode of every file of ours. */
export const fileMode = 0o600
/** Mode of every folder of ours. */
export const folderMode = 0o700

/**
 * Creates an empty file of mode 0600 and says its inode; throws `EEXIST` if the name is taken, by a link too. SQLite
 * gives the files it puts beside a database the database's mode, so creating it this way first makes all of them private.
 */
export const createPrivateFile = (path: string): bigint => {
  const fd = Fs.openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR, fileMode)
  try {
    return Fs.fstatSync(fd, { bigint: true }).ino
  } finally {
    Fs.closeSync(fd)
  }
}

/** Opens a file to append to, creating it with mode 0600; throws `ELOOP` for a symbolic link. Returns the descriptor. */
export const openPrivateAppend = (path: string): number =>
  Fs.openSync(path, O_CREAT | O_APPEND | O_NOFOLLOW | O_WRONLY, fileMode)

/** Makes a folder of mode 0700, with those above it that are missing. */
export const makePrivateFolder = (path: string): void => {
  Fs.mkdirSync(path, { recursive: true, mode: folderMode })
}

/** Has a file, or the names in a folder, written to the disk. */
export const syncFile = (path: string): void => {
  const fd = Fs.openSync(path, "r")
  try {
    Fs.fsyncSync(fd)
  } finally {
    Fs.closeSync(fd)
  }
}
