/**
 * A bundler plugin: Node's own modules that take time to load are loaded when something of them is first used. The bundle
 * would otherwise load, for every command, what only some of them need.
 */
const prefix = "\0lazy:"

/** Slow to load, and not needed by every command. */
const slow = new Set([
  "node:child_process",
  "node:crypto",
  "node:fs/promises",
  "node:readline",
  "node:readline/promises",
  "node:stream/consumers",
  "node:tty"
])

export const lazyBuiltins = () => ({
  name: "lazy-builtins",
  resolveId: {
    order: "pre",
    handler: (id) => (slow.has(id) ? `${prefix}${id}` : null)
  },
  load: async (id) => {
    if (!id.startsWith(prefix)) return null
    const name = id.slice(prefix.length)
    const names = Object.keys(await import(name)).filter((each) => each !== "default")
    const getters = names.map((each) => `get ${JSON.stringify(each)}() { return load()[${JSON.stringify(each)}] }`)
    return {
      code: `let found\nconst load = () => (found ??= process.getBuiltinModule(${JSON.stringify(name)}))\nmodule.exports = { ${getters.join(", ")} }`,
      moduleType: "js"
    }
  }
})
