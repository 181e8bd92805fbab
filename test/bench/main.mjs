/**
 * The bench: `npm run bench`. Every figure is a ratio of neighbours in one run, or a time that has a bound of its own;
 * absolute figures of one machine tell nothing about another.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { judge, readBudget } from "./budget.mjs"
import { machine } from "./measure/machine.mjs"
import { help, readOptions } from "./options.mjs"
import { parts } from "./parts/index.mjs"
import { notBuilt } from "./program.mjs"
import { growthChart } from "./report/growthChart.mjs"
import { page } from "./report/page.mjs"
import { figureLine } from "./report/words.mjs"
import { openStores } from "./stores/stores.mjs"

const root = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const say = (text) => process.stderr.write(`${text}\n`)

const write = (path, text) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const commandLine = (argv) => ["npm run bench", ...(argv.length === 0 ? [] : ["--", ...argv])].join(" ")

/** Runs the parts one after another; what a part cannot measure it says in a note. */
const measure = async (chosen, options) => {
  const stores = openStores(say)
  const budget = readBudget()
  const results = []
  try {
    for (const part of chosen) {
      say(`\n${part.title}`)
      const notes = []
      const series = []
      const figures = await part.run({
        ...options,
        ...stores,
        note: (text) => notes.push(text),
        plot: (line) => series.push(line)
      })
      const judged = figures.map((figure) => judge(figure, budget))
      for (const figure of judged) say(`  ${figureLine(figure)}`)
      for (const note of notes) say(`  ${note}`)
      results.push({ name: part.name, title: part.title, figures: judged, notes, series })
    }
  } finally {
    stores.close()
  }
  return results
}

const main = async () => {
  const options = readOptions(process.argv.slice(2))
  if (options.help) {
    process.stdout.write(help)
    return 0
  }
  const unknown = options.only.filter((name) => parts.every((part) => part.name !== name))
  const problem =
    unknown.length > 0
      ? `no part is called ${unknown.join(", ")}; they are ${parts.map(({ name }) => name).join(", ")}`
      : notBuilt()
  if (problem !== null) {
    say(`bench: ${problem}`)
    return 2
  }
  const chosen = parts.filter(({ name }) => options.only.length === 0 || options.only.includes(name))
  const result = {
    kind: "bench",
    version: 1,
    at: new Date().toISOString(),
    command: commandLine(process.argv.slice(2)),
    quick: options.quick,
    machine: machine(),
    parts: await measure(chosen, options)
  }
  write(options.out ?? root(".cache/bench/result.json"), `${JSON.stringify(result, null, 2)}\n`)
  if (options.write) {
    const findings = readFileSync(new URL("./findings.md", import.meta.url), "utf8")
    const chart = growthChart(result.parts.flatMap(({ series }) => series))
    if (chart !== null) write(root("docs/performance.svg"), chart)
    write(root("docs/performance.md"), page(result, chart === null ? null : "performance.svg", findings))
  }
  const figures = result.parts.flatMap((part) => part.figures)
  const beyond = figures.filter((figure) => figure.within === false)
  for (const figure of beyond) say(`beyond its limit: ${figureLine(figure)}`)
  return options.check && beyond.length > 0 ? 1 : 0
}

process.exitCode = await main()
