/** Plain columns: every cell as wide as its column needs, the last one as long as it is. Pure. */
import { cells } from "@alluka/tui/list"

export const table = (heading: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const all = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...all.map((row) => cells(row[column] ?? ""))))
  return all
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell + " ".repeat((widths[column] ?? 0) - cells(cell))
        )
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
