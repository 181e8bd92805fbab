/** Which part of the list is on the screen. Pure: the selected item is always in it, and it moves no more than it must. */
import type { Item } from "../model/items.js"
import { keeping } from "../model/keeping.js"
import type { Geometry } from "./geometry.js"

/** Lines of an item: beside details, what needs a person or moves has a second line. */
export const itemHeight = (item: Item, mode: Geometry["mode"]): number =>
  mode === "split" && item.kind === "run" && item.group !== "history" ? 2 : 1

export interface Window {
  /** The first line shown. */
  readonly top: number
  /** Lines of the whole list. */
  readonly total: number
}

const kept = keeping<ReadonlyArray<number>>()

/** Offsets of the items' first lines, and behind them the total. */
export const offsets = (items: ReadonlyArray<Item>, mode: Geometry["mode"]): ReadonlyArray<number> =>
  kept([items, mode], () => {
    let at = 0
    return [
      ...items.map((item) => {
        const start = at
        at += itemHeight(item, mode)
        return start
      }),
      at
    ]
  })

/**
 * The window of `height` lines that shows the item at `index`, as near to `top` as can be. Where lines are hidden above or
 * below, the first or last line says how many, so the item keeps clear of those.
 */
export const windowOf = (
  items: ReadonlyArray<Item>,
  index: number,
  top: number,
  height: number,
  mode: Geometry["mode"]
): Window => {
  const starts = offsets(items, mode)
  const total = starts.at(-1) ?? 0
  const last = Math.max(0, total - height)
  if (height <= 0 || total <= height || index < 0)
    return { top: index < 0 ? Math.min(Math.max(0, top), last) : 0, total }
  const from = starts[index] ?? 0
  const to = starts[index + 1] ?? total
  const margin = height >= 5 ? 1 : 0
  // A group's heading stays with its first row.
  const before = items[index - 1]
  const wanted = before?.kind === "group" ? (starts[index - 1] ?? from) : from
  let next = Math.min(Math.max(0, top), last)
  if (wanted < next + (next > 0 ? margin : 0)) next = Math.max(0, wanted - margin)
  if (to > next + height - margin) next = to - height + margin
  if (from < next + (next > 0 ? margin : 0)) next = Math.max(0, from - margin)
  return { top: Math.min(Math.max(0, next), last), total }
}
