/**
 * A bundler plugin: a schema is made when it is first used. Each module makes its schemas when it begins, and most commands
 * use few of them, or none: making all, and the schema library with them, takes a command longer than its work.
 *
 * In a module that imports the schema library, every constant of the module that is made with it stands for itself until
 * it is looked at, and the library is begun then too.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAst } from "rolldown/parseAst"

const name = "alluka:lazy-schema"
const used = "alluka:used-of-schema"
const statement = /^import \* as Schema from "[^"]*\/Schema(?:\.js)?"$/m

/** What stands for a value that is not made yet. Schemas are asked for properties, or are functions that are called. */
const runtime = `
let found
exports.library = () => (found ??= require(${JSON.stringify(used)}))
exports.lazily = (make) => {
  let made
  const force = () => (made ??= make())
  return new Proxy(() => {}, {
    get: (_, key) => force()[key],
    has: (_, key) => key in force(),
    // A set of fields is spread into others.
    ownKeys: () => Reflect.ownKeys(force()),
    getOwnPropertyDescriptor: (_, key) => {
      const found = Reflect.getOwnPropertyDescriptor(force(), key)
      return found && { ...found, configurable: true }
    },
    apply: (_, self, args) => Reflect.apply(force(), self, args),
    getPrototypeOf: () => Reflect.getPrototypeOf(force())
  })
}
`

const isFunction = (node) => /Function/.test(node.type ?? "")

/** Calls back for each node of a tree, for its children only where the callback says so. */
const walk = (node, visit) => {
  if (node === null || typeof node !== "object") return
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit)
    return
  }
  if (typeof node.type === "string" && visit(node) === false) return
  for (const value of Object.values(node)) walk(value, visit)
}

const isLibrary = (node) =>
  node.type === "MemberExpression" && node.object.type === "Identifier" && node.object.name === "Schema"

/** Whether making a value uses the library at once, not only when a function is called. */
const usesLibrary = (init) => {
  let uses = false
  walk(init, (node) => {
    if (isFunction(node)) return false
    if (isLibrary(node)) uses = true
    return true
  })
  return uses
}

const lazy = (code) => {
  const program = parseAst(code, { lang: "ts" })
  const edits = []
  walk(program, (node) => {
    if (isLibrary(node)) edits.push([node.object.start, node.object.end, "library()"])
    return true
  })
  for (const each of program.body) {
    const declaration = each.type === "ExportNamedDeclaration" ? each.declaration : each
    if (declaration?.type !== "VariableDeclaration") continue
    for (const { init } of declaration.declarations) {
      if (init === null || !usesLibrary(init)) continue
      edits.push([init.start, init.start, "lazily(() => ("], [init.end, init.end, "))"])
    }
  }
  // From the end, so that what comes before keeps its place; of two at one place the outer one is written last.
  let result = code
  for (const [start, end, text] of edits.sort((a, b) => b[0] - a[0] || b[1] - a[1])) {
    result = result.slice(0, start) + text + result.slice(end)
  }
  return result.replace(statement, `import { lazily, library } from "${name}"`)
}

/** Names of the library that the sources in the folders use: what nobody uses stays out of the bundle. */
const usedIn = (folders) => {
  const names = new Set()
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true })) {
      if (!/\.tsx?$/.test(entry) || /\.test\.tsx?$/.test(entry)) continue
      const code = readFileSync(join(folder, entry), "utf8")
      if (!statement.test(code)) continue
      walk(parseAst(code, { lang: "ts" }), (node) => {
        if (isLibrary(node)) names.add(node.property.name)
        return true
      })
    }
  }
  return [...names]
}

/** `library`: the module that names the schema library; `folders`: where the sources are. */
export const lazySchemas = (library, folders) => {
  const modules = new Map([
    [name, () => ({ code: runtime, moduleType: "js" })],
    [
      used,
      () => ({ code: `export { ${usedIn(folders).join(", ")} } from ${JSON.stringify(library)}`, moduleType: "js" })
    ]
  ])
  return {
    name: "lazy-schemas",
    resolveId: { order: "pre", handler: (id) => (modules.has(id) ? `\0${id}` : null) },
    load: (id) => modules.get(id.slice(1))?.() ?? null,
    transform: {
      filter: { id: /\.tsx?$/ },
      handler: (code, id) => (id !== library && statement.test(code) ? { code: lazy(code), moduleType: "ts" } : null)
    }
  }
}
