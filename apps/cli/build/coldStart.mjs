/**
 * A bundler plugin: what libraries do at their start that a command of a tenth of a second feels, and this program does not
 * need. Each replacement must be found, so a new version of a library cannot pass it by unnoticed.
 */
const replacements = [
  {
    // Asks whether a minifier has taken a function's name out of stack traces, with a stack trace: 2 ms. It is a method,
    // and ours leaves the names of methods alone.
    file: /effect\/dist\/esm\/Utils\.js$/,
    from: 'standard.effect_internal_function(() => new Error().stack)?.includes("effect_internal_function") === true',
    to: "true"
  },
  {
    // Node loads its performance hooks when this global is first looked at: 3 ms. The clock only takes the time of day
    // from it where there is `process.hrtime`, and has it from `Date` where there is none.
    file: /effect\/dist\/esm\/internal\/clock\.js$/,
    from: 'typeof performance === "undefined"',
    to: "true"
  }
]

export const coldStart = () => {
  const missing = new Set(replacements)
  return {
    name: "cold-start",
    transform: {
      filter: { id: /\.js$/ },
      handler: (code, id) => {
        const found = replacements.find(({ file }) => file.test(id))
        if (found === undefined || !code.includes(found.from)) return null
        missing.delete(found)
        return { code: code.replace(found.from, found.to) }
      }
    },
    buildEnd: () => {
      for (const { file, from } of missing) throw new Error(`${file} has no more: ${from}`)
    }
  }
}
