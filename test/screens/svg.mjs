/** A terminal's cells as an SVG picture: text, so that it stays sharp and small. */
const cell = { width: 8.4, height: 18, font: 14 }
const margin = 14

const ink = "#d7dae0"
const paper = "#1b1f27"
/** The 16 colours of the terminal in the picture. */
const palette = [
  "#2b303b",
  "#e06c75",
  "#98c379",
  "#e5c07b",
  "#61afef",
  "#c678dd",
  "#56b6c2",
  "#d7dae0",
  "#5c6370",
  "#ff7b86",
  "#b5e08f",
  "#ffd68a",
  "#7cc4ff",
  "#dd95f2",
  "#6fd6e2",
  "#ffffff"
]

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const lookOf = (at) => {
  const own = at.isFgPalette() ? (palette[at.getFgColor()] ?? ink) : ink
  const inverse = at.isInverse() !== 0
  return {
    fill: inverse ? paper : own,
    back: inverse ? ink : null,
    dim: at.isDim() !== 0 && !inverse,
    bold: at.isBold() !== 0,
    underline: at.isUnderline() !== 0
  }
}

/** The cells of a line as runs of one look each. */
const runsOf = (line, columns) => {
  const runs = []
  for (let column = 0; column < columns; column += 1) {
    const at = line.getCell(column)
    if (at === undefined || at.getWidth() === 0) continue
    const look = lookOf(at)
    const chars = at.getChars() || " "
    const last = runs.at(-1)
    if (last !== undefined && JSON.stringify(last.look) === JSON.stringify(look)) {
      last.text += chars
      last.cells += at.getWidth()
    } else runs.push({ look, text: chars, column, cells: at.getWidth() })
  }
  return runs
}

/** What stands behind the text, in as few pieces as there are colours beside each other. */
const grounds = (runs) => {
  const out = []
  for (const { look, column, cells } of runs) {
    const last = out.at(-1)
    if (look.back === null) continue
    if (last !== undefined && last.back === look.back && last.column + last.cells === column) last.cells += cells
    else out.push({ back: look.back, column, cells })
  }
  return out
}

const round = (value) => Math.round(value * 100) / 100

/** The picture of what a terminal shows. `title`: what a reader who cannot see it is told. */
export const svgOf = (terminal, title) => {
  const { cols, rows, buffer } = terminal
  const width = round(cols * cell.width + 2 * margin)
  const height = rows * cell.height + 2 * margin
  const out = []
  for (let row = 0; row < rows; row += 1) {
    const line = buffer.active.getLine(buffer.active.viewportY + row)
    if (line === undefined) continue
    const y = margin + row * cell.height
    const runs = runsOf(line, cols)
    for (const { back, cells, column } of grounds(runs)) {
      const x = round(margin + column * cell.width)
      out.push(`<rect x="${x}" y="${y}" width="${round(cells * cell.width)}" height="${cell.height}" fill="${back}"/>`)
    }
    for (const { look, text, column, cells } of runs) {
      const x = round(margin + column * cell.width)
      if (text.trim() === "") continue
      const style = [
        `fill="${look.fill}"`,
        ...(look.dim ? ['opacity="0.6"'] : []),
        ...(look.bold ? ['font-weight="bold"'] : []),
        ...(look.underline ? ['text-decoration="underline"'] : [])
      ].join(" ")
      out.push(
        `<text x="${x}" y="${y + 13}" textLength="${round(cells * cell.width)}" lengthAdjust="spacingAndGlyphs" ${style}>${escaped(text)}</text>`
      )
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${cell.font}" xml:space="preserve">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" rx="8" fill="${paper}"/>
${out.join("\n")}
</svg>
`
}
