/** Appends to the output of one run, going on to a new segment when one is full. Throws what the system says. */
import { Buffer } from "node:buffer"
import * as Fs from "node:fs"
import type { Ids } from "@alluka/core"
import { makePrivateFolder, openPrivateAppend } from "../files/privateFile.js"
import { keptSegments, moreFolder, segmentBytes, segmentPath, segmentsOf } from "./segments.js"

export interface Writer {
  readonly append: (lines: ReadonlyArray<string>) => void
  readonly close: () => void
}

interface Segment {
  readonly number: number
  readonly fd: number
  size: number
  /** The last line is not whole, since its writer died or failed: the next one begins on a line of its own. */
  torn: boolean
}

const endsInTheMiddle = (path: string, size: number): boolean => {
  if (size === 0) return false
  const fd = Fs.openSync(path, "r")
  try {
    const last = new Uint8Array(1)
    Fs.readSync(fd, last, 0, 1, size - 1)
    return last[0] !== 10
  } finally {
    Fs.closeSync(fd)
  }
}

export const open = (folder: string, id: Ids.CheckpointId): Writer => {
  const openSegment = (number: number): Segment => {
    makePrivateFolder(number === 0 ? folder : moreFolder(folder, id))
    const path = segmentPath(folder, id, number)
    const fd = openPrivateAppend(path)
    const { size } = Fs.fstatSync(fd)
    return { number, fd, size, torn: endsInTheMiddle(path, size) }
  }
  let segment = openSegment(segmentsOf(folder, id).at(-1) ?? 0)

  const next = () => {
    const opened = openSegment(segment.number + 1)
    Fs.closeSync(segment.fd)
    segment = opened
    const dropped = segment.number - keptSegments
    // The first part, number 0, always stays.
    if (dropped > 0) Fs.rmSync(segmentPath(folder, id, dropped), { force: true })
  }

  const write = (text: string) => {
    const bytes = Buffer.from(segment.torn ? `\n${text}` : text)
    segment.torn = true
    for (let written = 0; written < bytes.length; ) {
      const count = Fs.writeSync(segment.fd, bytes, written)
      segment.size += count
      written += count
    }
    segment.torn = false
  }

  return {
    append: (lines) => {
      let pending = ""
      let size = segment.size
      for (const line of lines) {
        const bytes = Buffer.byteLength(line)
        if (size > 0 && size + bytes > segmentBytes) {
          if (pending !== "") write(pending)
          pending = ""
          next()
          size = segment.size
        }
        pending += line
        size += bytes
      }
      if (pending !== "") write(pending)
    },
    close: () => Fs.closeSync(segment.fd)
  }
}
