/**
 * Fits blocks of lines into a height. Each says how few lines it can live with and how soon it gives way, so what matters
 * most never leaves the screen.
 */
import { type Line, lineOf } from "./Line.js"

export interface Block {
  readonly lines: ReadonlyArray<Line>
  /** Lines it keeps while blocks with a higher rank can still give. */
  readonly min: number
  /** Higher gives way first; 0 never does unless nothing else is left. */
  readonly rank: number
  /** Which end of it is kept. */
  readonly keep: "start" | "end"
}

export const blockOf = (
  lines: ReadonlyArray<Line>,
  { min = lines.length, rank = 0, keep = "start" as "start" | "end" } = {}
): Block => ({ lines, min: Math.min(min, lines.length), rank, keep })

/** The lines of all blocks in order, at most `height`. */
export const fitBlocks = (blocks: ReadonlyArray<Block>, height: number, ellipsis: string): ReadonlyArray<Line> => {
  const sizes = blocks.map(({ lines }) => lines.length)
  let over = sizes.reduce((sum, size) => sum + size, 0) - Math.max(0, height)
  const order = blocks.map((_, index) => index).sort((a, b) => (blocks[b]?.rank ?? 0) - (blocks[a]?.rank ?? 0))
  for (const floor of ["min", "none"] as const) {
    for (const index of order) {
      if (over <= 0) break
      const least = floor === "min" ? (blocks[index]?.min ?? 0) : 0
      const give = Math.min(over, Math.max(0, (sizes[index] ?? 0) - least))
      sizes[index] = (sizes[index] ?? 0) - give
      over -= give
    }
  }
  return blocks.flatMap(({ lines, keep }, index) => {
    const size = sizes[index] ?? 0
    if (size >= lines.length) return lines
    if (size === 0) return []
    if (keep === "end") return [...lines.slice(0, 1), ...lines.slice(lines.length - size + 1)].slice(0, size)
    return size === 1 ? lines.slice(0, 1) : [...lines.slice(0, size - 1), lineOf(`  ${ellipsis}`, "dim")]
  })
}
