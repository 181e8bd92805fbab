/** Where everything stands at a size. One row of the terminal is always left free. */
import type { Model, Size } from "../model/Model.js"

export const minimum: Size = { columns: 40, rows: 12 }

export interface Geometry {
  /** `split`: details to the right; `stacked`: below; `narrow`: two lines below; `bare`: the list alone. */
  readonly mode: "tooSmall" | "split" | "stacked" | "narrow" | "bare"
  readonly columns: number
  /** Lines of the whole frame. */
  readonly height: number
  /** Lines above the body, the rule included. */
  readonly header: number
  /** Lines of the body: between the header and the last rule. */
  readonly body: number
  readonly list: { readonly width: number; readonly height: number }
  /** Details beside or below the list; without their rule. */
  readonly side: { readonly width: number; readonly height: number }
}

/** Rule and keys. */
const footer = 2
const peekLines = 6

export const isTooSmall = ({ columns, rows }: Size): boolean => columns < minimum.columns || rows < minimum.rows

/** Whether the filter has a line of its own where there are no tabs. */
const hasFilterLine = (model: Model): boolean => model.filtering !== null || model.filter !== "" || model.here

export const geometryOf = (model: Model): Geometry => {
  const { columns, rows } = model.size
  const height = Math.max(1, rows - 1)
  if (isTooSmall(model.size)) {
    return {
      mode: "tooSmall",
      columns,
      height,
      header: 0,
      body: height,
      list: { width: columns, height: 0 },
      side: { width: columns, height: 0 }
    }
  }
  const narrow = columns < 80
  const banner = (model.connection._tag === "Lost" ? 1 : 0) + (model.skipped > 0 ? 1 : 0)
  const second = !narrow || model.screen === "tasks" || hasFilterLine(model)
  const header = (second ? 3 : 2) + banner
  const body = Math.max(1, height - header - footer)
  const base = { columns, height, header, body }
  const { preview } = model.preferences
  const place =
    preview === "off"
      ? "off"
      : preview === "bottom"
        ? "bottom"
        : columns >= 110 || (preview === "right" && columns >= 96)
          ? "right"
          : "bottom"
  if (place === "right") {
    const width = Math.min(96, Math.max(46, Math.round((columns - 1) * 0.46)))
    return { ...base, mode: "split", list: { width, height: body }, side: { width: columns - width - 1, height: body } }
  }
  const bare: Geometry = {
    ...base,
    mode: "bare",
    list: { width: columns, height: body },
    side: { width: columns, height: 0 }
  }
  if (place === "off") return bare
  if (narrow) {
    return body < 6
      ? bare
      : { ...base, mode: "narrow", list: { width: columns, height: body - 3 }, side: { width: columns, height: 2 } }
  }
  const peek = Math.min(peekLines, body - 1 - 5)
  return peek < 2
    ? bare
    : {
        ...base,
        mode: "stacked",
        list: { width: columns, height: body - peek - 1 },
        side: { width: columns, height: peek }
      }
}
