/** What an import found, in words: what it brought first, then how many were left and why. */
import type { Documents } from "@alluka/core"
import type { Output } from "../Output.js"
import { line } from "./safe.js"

const reasons = {
  finished: ["is complete", "are complete"],
  known: ["is known already", "are known already"],
  in_use: ["is in use, or was a moment ago", "are in use, or were a moment ago"],
  folder_missing: ["has lost its folder", "have lost their folders"]
} as const

export const renderImported = (
  { items }: Documents.ImportResultDocument,
  { command, paint }: Pick<Output, "command" | "paint">
): string => {
  const brought = items.filter(({ outcome }) => outcome === "imported" || outcome === "would_import")
  const rows = brought.flatMap(({ checkpoint_id, cwd, provider, stopped, title }) => [
    `${paint(checkpoint_id ?? "would be imported", "good")}  ${provider}  ${line(title, 80)}`,
    paint(`  ${line(stopped ?? "", 200)} · ${line(cwd, 200)}`, "dim")
  ])
  const left = Object.entries(reasons).flatMap(([outcome, [one, many]]) => {
    const count = items.filter((item) => item.outcome === outcome).length
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  })
  return [
    ...(brought.length === 0 ? ["No conversation stopped in the middle."] : rows),
    ...(left.length === 0 ? [] : [paint(`Left: ${left.join(", ")}.`, "dim")]),
    ...(brought.some(({ outcome }) => outcome === "imported")
      ? [paint(`${command(["resume", "ID", "--preview"])} says what a resume would do`, "dim")]
      : [])
  ].join("\n")
}
