/** `docs/performance.md`, from a result. Pure. */
import { figureText } from "../measure/format.mjs"
import { metText, targetText } from "./words.mjs"

const row = (...cells) => `| ${cells.join(" | ")} |`

const table = (figures) => [
  row("what", "measured", "target", ""),
  row("---", "---", "---", "---"),
  ...figures.map((figure) =>
    row(figure.title, figureText(figure.value, figure.unit), targetText(figure), metText(figure))
  )
]

const section = ({ figures, notes, title }) =>
  [`## ${title}`, "", ...table(figures), "", ...notes.flatMap((note) => [note, ""])].join("\n")

const machineText = ({ cores, cpu, load, memoryGb, node, platform }) =>
  `${platform}, ${cores} cores (${cpu}), ${memoryGb} GB, Node ${node}, load ${load} when it was done`

/** `chart`: where the picture of growth is, beside the page; `null`: there is none; `findings`: what is said of the figures. */
export const page = (result, chart, findings) => `# Performance

Written by \`${result.command}\` on ${result.at.slice(0, 10)}: ${machineText(result.machine)}. Do not edit it by hand.

A ratio compares neighbours in one run: samples are taken in turn, and the figure is the median of the ratios of
neighbouring samples. The times of one machine, and of one hour on it, tell little about another; ratios do. The bench is
in \`test/bench\`; \`npm run bench -- --help\` tells its options, \`test/bench/budget.json\` its targets and limits.

${result.parts
  .filter(({ figures }) => figures.length > 0)
  .map(section)
  .join(
    "\n"
  )}${chart === null ? "" : `## Growth\n\n![time of a list, a count and a search by the number of runs](${chart})\n`}
${findings}`
