/** The session files that a program wrote to since a time, newest first. */
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"

export interface StoredFile {
  readonly path: string
  /** When it was last written to, ms since 1970. */
  readonly writtenAt: number
}

/** More files than this are not looked at in one go; the oldest are left out. */
const maxFiles = 2000

/**
 * Files below `root`, in folders at most `depth` deep, whose names fit. What cannot be read is left out, and so are symbolic
 * links: a storage is the program's own.
 */
export const filesSince = (
  root: string,
  { depth, fits, since }: { readonly depth: number; readonly fits: RegExp; readonly since: number }
): Effect.Effect<ReadonlyArray<StoredFile>> =>
  Effect.promise(async () => {
    const found: Array<StoredFile> = []
    const search = async (folder: string, left: number): Promise<void> => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      for (const entry of entries) {
        const path = join(folder, entry.name)
        if (entry.isDirectory() && left > 0) await search(path, left - 1)
        else if (entry.isFile() && fits.test(entry.name)) {
          const info = await stat(path).catch(() => null)
          if (info !== null && info.mtimeMs >= since) found.push({ path, writtenAt: Math.floor(info.mtimeMs) })
        }
      }
    }
    await search(root, depth)
    return found.sort((a, b) => b.writtenAt - a.writtenAt).slice(0, maxFiles)
  })
