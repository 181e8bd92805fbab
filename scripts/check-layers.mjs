#!/usr/bin/env node
/**
 * Holds the arrows between the packages: core knows nobody, store, providers and tui know core, the command line knows
 * all. Also held: core names no `node:` module, only `core/src/Schema.ts` names the schema library, and what a package
 * imports stands in its package.json. Exits 1 and names each line that breaks a rule.
 *
 *   node scripts/check-layers.mjs [ROOT]
 */
import { readdirSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join, relative } from "node:path"
import { parseAst } from "rolldown/parseAst"

const root = process.argv[2] ?? new URL("..", import.meta.url).pathname

const layers = [
  { folder: "packages/core", may: [] },
  { folder: "packages/store", may: ["@alluka/core"] },
  { folder: "packages/providers", may: ["@alluka/core"] },
  { folder: "packages/tui", may: ["@alluka/core"] },
  // One bundle: what it imports is packed into it, so nothing of that is installed beside it.
  { folder: "apps/cli", may: ["@alluka/core", "@alluka/store", "@alluka/providers", "@alluka/tui"], bundled: true },
  { folder: "examples", may: ["@alluka/core", "@alluka/store", "@alluka/providers", "@alluka/tui"] }
]

const sources = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))

/** Every module that a file names: imports, re-exports and dynamic imports of a literal. */
const imports = (file) => {
  const text = readFileSync(file, "utf8")
  const found = []
  const look = (node) => {
    if (node === null || typeof node !== "object") return
    if (Array.isArray(node)) return node.forEach(look)
    if (
      /^(?:Import|Export)\w*(?:Declaration|Expression)$/.test(node.type ?? "") &&
      typeof node.source?.value === "string"
    ) {
      found.push({ line: text.slice(0, node.start).split("\n").length, name: node.source.value })
    }
    for (const value of Object.values(node)) look(value)
  }
  look(parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }).body)
  return found
}

const packageOf = (name) => (name.startsWith("@") ? name.split("/").slice(0, 2).join("/") : name.split("/")[0])

const faults = []
for (const { folder, may, bundled } of layers) {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const own = { ...manifest.dependencies, ...manifest.peerDependencies, ...(bundled ? manifest.devDependencies : {}) }
  const declared = new Set(Object.keys(own))
  for (const file of sources(join(root, folder, "src"))) {
    const test = /\.test\.tsx?$/.test(file) || file.includes("/testing/")
    const place = relative(root, file)
    for (const { line, name } of imports(file)) {
      const fault = (why) => faults.push(`${place}:${line}: imports ${name}: ${why}`)
      if (name.startsWith(".")) {
        if (relative(join(root, folder, "src"), join(file, "..", name)).startsWith(".."))
          fault("outside of its package")
        continue
      }
      // Made by the bundler (apps/cli/build), not found anywhere.
      if (folder === "apps/cli" && name.startsWith("alluka:")) continue
      const owner = packageOf(name)
      if (owner.startsWith("@alluka/") && !may.includes(owner))
        fault(`${folder} may use ${may.join(", ") || "no other package"}`)
      if (folder === "packages/core" && isBuiltin(name) && !test) fault("core runs on any platform")
      if (owner === "@effect/schema" && place !== "packages/core/src/Schema.ts")
        fault("only core/src/Schema.ts names it")
      if (!test && !isBuiltin(name) && !declared.has(owner)) fault(`it is not a dependency in ${folder}/package.json`)
    }
  }
}

for (const fault of faults) process.stderr.write(`${fault}\n`)
process.stdout.write(
  faults.length === 0 ? "layers: every arrow points the right way\n" : `layers: ${faults.length} broken\n`
)
process.exitCode = faults.length === 0 ? 0 : 1
