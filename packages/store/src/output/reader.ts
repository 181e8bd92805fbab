/** Reads the output of a run while, perhaps, it is being written. Plain functions over the files. */

import { Buffer } from "node:buffer"
import * as Fs from "node:fs"
import type { Ids, OutputLog } from "@alluka/core"
import { decodeLines, gapLine } from "./line.js"
import { hasGap, segmentPath, segmentsOf } from "./segments.js"

type Line = OutputLog.OutputLine

/** How far a reader has come: everything before `offset` of a segment was read. */
export interface Position {
  readonly segment: number
  readonly offset: number
}

export interface Piece {
  readonly lines: ReadonlyArray<Line>
  readonly position: Position
}

/** The whole lines of a segment from an offset on; a line that is still being written is left for the next time. */
const readFrom = (folder: string, id: Ids.CheckpointId, { segment, offset }: Position): Piece => {
  const path = segmentPath(folder, id, segment)
  const size = Fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size <= offset) return { lines: [], position: { segment, offset } }
  const bytes = Buffer.alloc(size - offset)
  const fd = Fs.openSync(path, "r")
  try {
    const read = Fs.readSync(fd, bytes, 0, bytes.length, offset)
    const end = bytes.subarray(0, read).lastIndexOf(10) + 1
    return { lines: decodeLines(bytes.toString("utf8", 0, end)), position: { segment, offset: offset + end } }
  } finally {
    Fs.closeSync(fd)
  }
}

/** The last `count` lines that are there, `null` for all, and where they end. */
export const readLast = (folder: string, id: Ids.CheckpointId, count: number | null): Piece => {
  const segments = segmentsOf(folder, id)
  let lines: ReadonlyArray<Line> = []
  let position: Position | null = null
  for (const segment of [...segments].reverse()) {
    const piece = readFrom(folder, id, { segment, offset: 0 })
    position ??= piece.position
    const [first] = lines
    const gap = segment === 0 && hasGap(segments) && first !== undefined ? [gapLine(first)] : []
    lines = [...piece.lines, ...gap, ...lines]
    if (count !== null && lines.length >= count) break
  }
  return {
    lines: count === null ? lines : lines.slice(Math.max(0, lines.length - count)),
    position: position ?? { segment: 0, offset: 0 }
  }
}

/** What was written since. */
export const readOn = (folder: string, id: Ids.CheckpointId, position: Position): Piece => {
  // Looked for first: when a later segment is there, this one is complete.
  const next = segmentsOf(folder, id).find((segment) => segment > position.segment)
  const piece = readFrom(folder, id, position)
  if (next === undefined || piece.lines.length > 0) return piece
  return readFrom(folder, id, { segment: next, offset: 0 })
}
