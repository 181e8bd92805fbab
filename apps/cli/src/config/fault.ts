/** What is wrong in a configuration, and where: found by reading it, told with the line and the column of the file. */

/** A place in a file. Line and column begin at 1; columns are counted as editors do, in UTF-16 units. */
export interface Place {
  readonly path: string
  readonly line: number
  readonly column: number
}

/** The names and indexes that lead to something from the outermost object of a file. */
export type Keys = ReadonlyArray<string | number>

export interface ConfigFault {
  /** The file or the environment variable. */
  readonly where: string
  /** The text of the file; `null` for a variable, which has no lines. */
  readonly text: string | null
  readonly keys: Keys
  /** Whether a name is wrong or what it is set to. */
  readonly about: "name" | "value"
  /** What is wrong and what would be right, in one sentence. */
  readonly message: string
}

/** The faults as sentences that begin with their place. What finds the place is loaded only where there is a fault. */
export const tellFaults = async (faults: ReadonlyArray<ConfigFault>): Promise<ReadonlyArray<string>> => {
  if (faults.length === 0) return []
  const { positionOf } = await import("./positions.js")
  return faults.map(({ about, keys, message, text, where }) => {
    const place = text === null ? null : positionOf(text, keys, about)
    return `${place === null ? where : placeText({ path: where, ...place })}: ${message}`
  })
}

/** `PATH:LINE:COLUMN`, which terminals and editors open. */
export const placeText = ({ column, line, path }: Place): string => `${path}:${line}:${column}`
