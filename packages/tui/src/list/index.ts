/** How runs look in a list, as pure functions: shared by the monitor and by `runs list`. Loads no screen library. */
export { age } from "./age.js"
export {
  type Column,
  type ColumnName,
  cellOf,
  columnSpecs,
  gap,
  type LayoutOptions,
  layout
} from "./columns.js"
export { headingLine, joined, type LineOptions, type Piece, rowLine } from "./listLine.js"
export { type Look, looks, type Tone } from "./looks.js"
export { line, modelText, type RunRow, rowOf } from "./row.js"
export { changesAt, lasting } from "./until.js"
export { cells, clip, inCells, inCells as fit } from "./width.js"
