/** A dialog's frame: a border where there is room for one, else a rule above. */
import type { Glyphs } from "../theme/glyphs.js"
import { type Block, fitBlocks } from "./blocks.js"
import { blank, fitLine, type Line, lineOf, span } from "./Line.js"

/** Whether a space is large enough for a border. */
export const hasBorder = (width: number, height: number): boolean => width >= 44 && height >= 12

/** Cells for the content of a dialog. */
export const innerWidth = (width: number, height: number): number =>
  hasBorder(width, height) ? Math.min(width, maxWidth) - 4 : width - 2

/** Lines for the content of a dialog. `inner`: the cells of its content. */
export const contentHeight = (inner: number, height: number): number =>
  hasBorder(inner + 4, height) ? height - 2 : height

/** Longer lines are harder to read. */
const maxWidth = 88

/** Blocks in a frame, exactly `height` lines of `width` cells; the frame is no higher than what is in it. */
export const box = (
  blocks: ReadonlyArray<Block>,
  width: number,
  height: number,
  glyphs: Glyphs
): ReadonlyArray<Line> => {
  const fill = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> =>
    Array.from({ length: Math.max(0, height) }, (_, index) =>
      fitLine(lines[index] ?? blank, width, { ellipsis: glyphs.ellipsis })
    )
  const inner = innerWidth(width, height)
  if (!hasBorder(width, height)) {
    return fill(
      fitBlocks(blocks, height, glyphs.ellipsis).map((line) => [
        span(" "),
        ...fitLine(line, inner, { ellipsis: glyphs.ellipsis })
      ])
    )
  }
  const [topLeft, topRight, bottomLeft, bottomRight] = glyphs.corners
  const rule = glyphs.horizontal.repeat(inner + 2)
  const content = fitBlocks(blocks, height - 2, glyphs.ellipsis)
  return fill([
    lineOf(`${topLeft}${rule}${topRight}`, "dim"),
    ...content.map(
      (line): Line => [
        span(`${glyphs.vertical} `, "dim"),
        ...fitLine(line, inner, { ellipsis: glyphs.ellipsis }),
        span(` ${glyphs.vertical}`, "dim")
      ]
    ),
    lineOf(`${bottomLeft}${rule}${bottomRight}`, "dim")
  ])
}
