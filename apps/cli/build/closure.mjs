/** A bundler plugin that learns which modules a module needs at once, with all that those need. */
export const closure = (roots) => {
  const imports = new Map()
  let found = null
  const learn = () => {
    found = new Set()
    const waiting = [...imports.keys()].filter((id) => roots.some((root) => id.endsWith(root)))
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (found.has(id)) continue
      found.add(id)
      waiting.push(...(imports.get(id) ?? []))
    }
    return found
  }
  return {
    /** Whether a module is one of them; to be asked when all modules are known. */
    has: (id) => (found ?? learn()).has(id),
    plugin: {
      name: "closure",
      moduleParsed: ({ id, importedIds }) => {
        imports.set(id, importedIds)
      }
    }
  }
}
