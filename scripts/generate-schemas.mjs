#!/usr/bin/env node
/**
 * Writes docs/schemas/KIND.json, the JSON Schema of every document and line, from packages/core, and that of the
 * configuration's file from apps/cli. `--check` changes nothing and fails where a file differs from the code. Needs a build.
 *
 *   node scripts/generate-schemas.mjs [--check]
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { jsonSchema, kinds } from "@alluka/core/schemas"
import { fileSchema, fileSchemaName } from "../apps/cli/dist/config/fileSchema.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = join(root, "docs", "schemas")
mkdirSync(folder, { recursive: true })

const files = new Map(kinds.map((kind) => [`${kind}.json`, jsonSchema(kind)]))
files.set(`${fileSchemaName}.json`, fileSchema())
const present = readdirSync(folder).filter((name) => name.endsWith(".json"))
const extra = present.filter((name) => !files.has(name))

if (process.argv.includes("--check")) {
  // Compared as data: the formatter decides about the lines.
  const same = (name, schema) =>
    present.includes(name) &&
    JSON.stringify(JSON.parse(readFileSync(join(folder, name), "utf8"))) === JSON.stringify(schema)
  const wrong = [...extra, ...[...files].filter(([name, schema]) => !same(name, schema)).map(([name]) => name)]
  for (const name of wrong) {
    process.stderr.write(`docs/schemas/${name} differs from the code: run node scripts/generate-schemas.mjs\n`)
  }
  process.exitCode = wrong.length === 0 ? 0 : 1
} else {
  for (const name of extra) rmSync(join(folder, name))
  for (const [name, schema] of files) writeFileSync(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`)
  execFileSync("npx", ["biome", "format", "--write", "docs/schemas"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"]
  })
}
