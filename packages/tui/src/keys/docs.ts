/** The keys as a page of documentation, made from the key table. */
import { keyName, keyTable, sections } from "./keyTable.js"

const code = (text: string): string => `\`${text}\``

/** Markdown: one table a section, with where each key works and the command that does the same. */
export const keysPage = (program = "alluka"): string =>
  sections
    .map((section) => {
      const rows = keyTable
        .filter((binding) => binding.section === section)
        .map(({ keys, title, contexts, twin }) =>
          [
            keys.length === 0 ? "(commands)" : keys.map((key) => code(keyName(key).replaceAll("|", "\\|"))).join(" "),
            title,
            contexts.join(", "),
            twin === null ? "" : code(`${program} ${twin}`.replaceAll("|", "\\|"))
          ].join(" | ")
        )
      return [
        `### ${section}`,
        "",
        "| Key | What it does | Where | From a shell |",
        "|---|---|---|---|",
        ...rows.map((row) => `| ${row} |`)
      ].join("\n")
    })
    .join("\n\n")
