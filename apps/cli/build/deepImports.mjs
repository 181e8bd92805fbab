/**
 * A bundler plugin: what a module takes from one of our packages is imported from the file that it comes from. Through the
 * package's index every file of the package would be begun, for every command, whatever it needs.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** `export * as Name from "./file.js"` and `export { a, b } from "./file.js"` of an index, by the exported name. */
const readIndex = (index) => {
  const exported = new Map()
  const text = readFileSync(index, "utf8")
  const file = (path) => join(dirname(index), path.replace(/\.js$/, ".ts"))
  for (const [, name, path] of text.matchAll(/export \* as (\w+) from "([^"]+)"/g)) {
    exported.set(name, { file: file(path), whole: true })
  }
  for (const [, names, path] of text.matchAll(/export \{([^}]+)\} from "([^"]+)"/g)) {
    for (const name of names.split(",").map((each) => each.trim())) {
      if (name !== "" && !name.startsWith("type ")) exported.set(name, { file: file(path), whole: false })
    }
  }
  return exported
}

/** `packages`: the index file of each package, by the package's name. */
export const deepImports = (packages) => {
  const indexes = new Map(Object.entries(packages).map(([name, index]) => [name, readIndex(index)]))
  const statement = new RegExp(`^import \\{([^}]*)\\} from "(${[...indexes.keys()].join("|")})"`, "gm")
  return {
    name: "deep-imports",
    transform: {
      filter: { id: /\.tsx?$/ },
      handler: (code) => {
        if (!code.includes('from "@alluka/')) return null
        const next = code.replace(statement, (_, specifiers, from) =>
          specifiers
            .split(",")
            .map((each) => each.trim())
            .filter((each) => each !== "" && !each.startsWith("type "))
            .map((each) => {
              const [name, local = name] = each.split(/\s+as\s+/)
              const found = indexes.get(from).get(name)
              if (found === undefined) throw new Error(`${from} exports no ${name}`)
              return found.whole
                ? `import * as ${local} from ${JSON.stringify(found.file)}`
                : `import { ${name} as ${local} } from ${JSON.stringify(found.file)}`
            })
            .join("\n")
        )
        return { code: next, moduleType: "ts" }
      }
    }
  }
}
