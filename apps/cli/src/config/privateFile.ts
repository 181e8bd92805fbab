/** Small files of the user's own, written whole or not at all, readable by nobody else. */
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** Replaces a file (mode 0600, its folder 0700 where it is made). A crash leaves the old one. Throws what the file system says. */
export const writePrivateFile = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const next = `${path}.${process.pid}.new`
  try {
    writeFileSync(next, text, { mode: 0o600, flag: "wx" })
    // Whatever the umask took away or left.
    chmodSync(next, 0o600)
    renameSync(next, path)
  } catch (cause) {
    rmSync(next, { force: true })
    throw cause
  }
}
