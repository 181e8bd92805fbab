#!/usr/bin/env node
/**
 * Writes the tables of the documentation that come from code, between `<!-- generated:NAME -->` and
 * `<!-- /generated:NAME -->`. `--check` changes nothing and fails where a page differs from the code. Needs a build.
 *
 *   node scripts/generate-docs.mjs [--check]
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Decision, ExitCodes, Reasons } from "@alluka/core"
import { keysPage } from "@alluka/tui"

const row = (...cells) => `| ${cells.join(" | ")} |`
const table = (head, rows) =>
  [row(...head), row(...head.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n")
const code = (text) => `\`${text}\``

const tables = {
  "exit-codes": () =>
    table(
      ["code", "meaning"],
      ExitCodes.exitCodes.map((each) => [String(each.code), each.meaning])
    ),
  "run-reasons": () =>
    table(
      ["state", "reason", "exit", "meaning"],
      Reasons.runReasonTable.map((each) => [each.state, code(each.code), String(each.exitCode), each.meaning])
    ),
  "decision-reasons": () =>
    table(
      ["reason", "exit", "answered by", "meaning"],
      Reasons.decisionReasonTable.map((each) => [
        code(each.reason),
        each.exitCode === 0 ? "starts" : String(each.exitCode),
        each.flag === null ? "" : code(each.flag),
        each.meaning
      ])
    ),
  consents: () =>
    table(
      ["consent", "flag"],
      Object.entries(Decision.consentFlag).map(([consent, flag]) => [code(consent), code(flag)])
    ),
  keys: () => keysPage()
}

const pages = ["docs/resume.md", "docs/automation.md", "docs/monitor.md"]
const check = process.argv.includes("--check")
let differs = false

for (const page of pages) {
  const path = fileURLToPath(new URL(`../${page}`, import.meta.url))
  const before = readFileSync(path, "utf8")
  const after = before.replace(
    /(<!-- generated:([a-z-]+) -->\n)[\s\S]*?(<!-- \/generated:\2 -->)/g,
    (_, open, name, close) => `${open}${tables[name]()}\n${close}`
  )
  if (after === before) continue
  differs = true
  if (check) process.stderr.write(`${page} differs from the code; run node scripts/generate-docs.mjs\n`)
  else writeFileSync(path, after)
}
process.exitCode = check && differs ? 1 : 0
