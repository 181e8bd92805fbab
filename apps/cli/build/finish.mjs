/** Finishes a build: puts the starter beside the bundle, and writes the code cache of the usual commands. */
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))
const dist = join(here, "..", "dist")
const starter = join(dist, "alluka.cjs")
const cache = join(dist, "program.cache")

rmSync(cache, { force: true })
// A source of ASCII alone is read and kept as one byte a character.
const program = join(dist, "program.cjs")
const source = readFileSync(program, "utf8")
writeFileSync(
  program,
  source.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
)
copyFileSync(join(here, "alluka.cjs"), starter)
chmodSync(starter, 0o755)

const home = mkdtempSync(join(tmpdir(), "alluka-build-"))
try {
  const arguments_ = [join(here, "writeCodeCache.cjs"), starter, cache]
  // A first list makes the store; the second is the one that people wait for.
  for (let round = 0; round < 2; round++) {
    execFileSync(process.execPath, [...arguments_, "runs", "list", "--json", "--home", home], {
      stdio: ["ignore", "ignore", "inherit"]
    })
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
if (statSync(cache).size === 0) throw new Error("the code cache is empty")
