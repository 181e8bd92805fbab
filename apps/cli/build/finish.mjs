/** Finishes a build: puts the starter beside the bundle, and writes the code caches of the usual commands. */
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))
const dist = join(here, "..", "dist")
const starter = join(dist, "alluka.cjs")

for (const name of readdirSync(dist)) if (/^program.*\.cache$/.test(name)) rmSync(join(dist, name))
for (const name of readdirSync(dist)) {
  if (!/^program.*\.cjs$/.test(name)) continue
  const file = join(dist, name)
  // A source of ASCII alone is read and kept as one byte a character; wrapped here, it need not be copied at each start.
  const source = readFileSync(file, "utf8").replace(
    /[^\x00-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
  writeFileSync(file, `(function (exports, require, module, __filename, __dirname, importModule) {${source}\n})`)
}
copyFileSync(join(here, "alluka.cjs"), starter)
chmodSync(starter, 0o755)

const home = mkdtempSync(join(tmpdir(), "alluka-build-"))
try {
  const options = { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ALLUKA_DEMO_PACE_MS: "0" } }
  const where = ["--home", home, "--json", "--quiet"]
  // A run to list: what reads a row and writes it out belongs into the cache too.
  execFileSync(process.execPath, [starter, "run", "--provider", "demo", "-C", home, "-p", "build", ...where], options)
  for (const argv of [
    ["runs", "list"],
    ["runs", "show", "latest"]
  ]) {
    execFileSync(process.execPath, [join(here, "writeCodeCache.cjs"), starter, ...argv, ...where], options)
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
