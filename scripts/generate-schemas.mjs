// Writes docs/schemas/KIND.json from the schemas in packages/core (build first). With --check: writes nothing, and fails
// if the committed files differ from the code.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { jsonSchema, kinds } from "../packages/core/dist/contract/schemas.js"

const folder = fileURLToPath(new URL("../docs/schemas/", import.meta.url))
const wanted = new Map(kinds.map((kind) => [`${kind}.json`, `${JSON.stringify(jsonSchema(kind), null, 2)}\n`]))

mkdirSync(folder, { recursive: true })
const present = readdirSync(folder).filter((name) => name.endsWith(".json"))
const extra = present.filter((name) => !wanted.has(name))
const changed = [...wanted].filter(
  ([name, text]) => !present.includes(name) || readFileSync(join(folder, name), "utf8") !== text
)

if (process.argv.includes("--check")) {
  for (const name of [...extra, ...changed.map(([name]) => name)]) {
    process.stderr.write(`docs/schemas/${name} differs from the code: run node scripts/generate-schemas.mjs\n`)
  }
  process.exitCode = extra.length + changed.length === 0 ? 0 : 1
} else {
  for (const name of extra) rmSync(join(folder, name))
  for (const [name, text] of changed) writeFileSync(join(folder, name), text)
}
