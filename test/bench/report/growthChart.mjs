/** The picture of growth: time by number of runs, both in powers of ten, as SVG that needs nothing else. Pure. */
const width = 720
const height = 360
const edge = { left: 64, right: 190, top: 16, bottom: 40 }
const colours = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e"]

const decades = (values) => [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))]

const powers = ([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index))

const label = (value) => (value >= 1 ? value.toLocaleString("en") : String(Number(value.toPrecision(1))))

/** `series`: `{ name, points: [[runs, ms], ...] }`; `null` without any. */
export const growthChart = (series) => {
  if (series.length === 0) return null
  const points = series.flatMap((line) => line.points)
  const xs = decades(points.map(([runs]) => runs))
  const ys = decades(points.map(([, ms]) => ms))
  const scale = (value, [from, to], start, end) =>
    start + ((Math.log10(value) - from) / Math.max(1, to - from)) * (end - start)
  const x = (runs) => Math.round(scale(runs, xs, edge.left, width - edge.right) * 10) / 10
  const y = (ms) => Math.round(scale(ms, ys, height - edge.bottom, edge.top) * 10) / 10
  const text = (at, top, words, anchor = "middle", fill = "#444") =>
    `<text x="${at}" y="${top}" text-anchor="${anchor}" fill="${fill}">${words}</text>`
  const grid = [
    ...powers(xs).map(
      (runs) =>
        `<path d="M${x(runs)} ${edge.top}V${height - edge.bottom}" stroke="#ddd"/>${text(x(runs), height - edge.bottom + 18, label(runs))}`
    ),
    ...powers(ys).map(
      (ms) =>
        `<path d="M${edge.left} ${y(ms)}H${width - edge.right}" stroke="#ddd"/>${text(edge.left - 8, y(ms) + 4, `${label(ms)} ms`, "end")}`
    )
  ]
  const lines = series.map(({ name, points: own }, index) => {
    const colour = colours[index % colours.length]
    const [, last] = own.at(-1)
    const path = own.map(([runs, ms], at) => `${at === 0 ? "M" : "L"}${x(runs)} ${y(ms)}`).join("")
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${text(width - edge.right + 8, y(last) + 4, name, "start", colour)}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>Time of lists, counts and searches by the number of runs in the store</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${[...grid, ...lines].join("\n")}
${text((edge.left + width - edge.right) / 2, height - 6, "runs in the store")}
</svg>
`
}
