/**
 * Where the output of a run is: its first part in `<id>.ndjson`, and what does not fit there in numbered segments of the
 * same size in `<id>.more/`, of which the newest are kept. Segments are only ever appended to or deleted whole, so a
 * reader needs no lock, and a crash can cost one line at most.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Ids } from "@alluka/core"

/** Size of a segment, bytes. */
export const segmentBytes = 1024 * 1024
/** How many are kept besides the first: 8 MiB a run in all. */
export const keptSegments = 7

/** 0 is the first part; the others are numbered from 1. */
export const segmentPath = (folder: string, id: Ids.CheckpointId, number: number): string =>
  number === 0 ? Path.join(folder, `${id}.ndjson`) : Path.join(moreFolder(folder, id), `${number}.ndjson`)

export const moreFolder = (folder: string, id: Ids.CheckpointId): string => Path.join(folder, `${id}.more`)

/** The numbers of the segments that are there, in order. */
export const segmentsOf = (folder: string, id: Ids.CheckpointId): ReadonlyArray<number> => {
  if (!Fs.existsSync(segmentPath(folder, id, 0))) return []
  return [0, ...moreOf(folder, id)]
}

const moreOf = (folder: string, id: Ids.CheckpointId): ReadonlyArray<number> => {
  try {
    return Fs.readdirSync(moreFolder(folder, id))
      .flatMap((name) => (/^\d+\.ndjson$/.test(name) ? [Number.parseInt(name, 10)] : []))
      .sort((a, b) => a - b)
  } catch {
    return []
  }
}

/** Whether segments between the first and the kept ones were deleted. */
export const hasGap = (segments: ReadonlyArray<number>): boolean => (segments[1] ?? 1) > 1
