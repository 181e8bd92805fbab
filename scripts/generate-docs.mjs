#!/usr/bin/env node
/**
 * Writes the tables of the documentation that come from code, between `<!-- generated:NAME -->` and
 * `<!-- /generated:NAME -->`. `--check` changes nothing and fails where a page differs from the code. Needs a build.
 *
 *   node scripts/generate-docs.mjs [--check]
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Continuity, Decision, ExitCodes, HostProcesses, Provider, Reasons } from "@alluka/core"
import { Registry } from "@alluka/providers"
import { keysPage } from "@alluka/tui"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const row = (...cells) => `| ${cells.join(" | ")} |`
const table = (head, rows) =>
  [row(...head), row(...head.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n")
const code = (text) => `\`${text}\``

/** The built-in providers. Nothing is started here, so nothing is asked of the host. */
const providers = Effect.runSync(
  Provider.Providers.pipe(
    Effect.provide(Registry.layer({ demo: { command: "", args: [], sessions: "" }, env: {} })),
    Effect.provide(Layer.succeed(HostProcesses.HostProcesses, {}))
  )
).all

const conversations = {
  provider_session: "its own",
  host_transcript: "a transcript that Alluka keeps",
  none: "cannot go on"
}
const ids = {
  before_spawn: "before the start",
  first_event: "with its first words",
  end_only: "at the end, often a little earlier"
}
const yes = (holds) => (holds ? "yes" : "no")

const details = ({ capabilities: can, id, install, title }) => {
  const { keeps, loses, notes } = Continuity.continuityOf(can)
  const list = (heading, sentences) =>
    sentences.length === 0 ? [] : ["", heading, "", ...sentences.map((each) => `- ${each}`)]
  const permissions = Object.entries(can.permissions).map(([ours, theirs]) =>
    theirs === null ? `${code(ours)} is not possible` : `${code(ours)} is ${theirs}`
  )
  return [
    `### ${title} (${code(id)})`,
    "",
    `${install} Verified with ${can.verifiedWith}.`,
    "",
    `Permissions: ${permissions.join(", ")}. Thinking levels: ${can.thinkingLevels.length === 0 ? "none" : can.thinkingLevels.map(code).join(", ")}.`,
    ...list("What goes on over a resume:", keeps),
    ...list("What is not kept, or not possible:", loses),
    ...list("Worth knowing:", notes)
  ].join("\n")
}

const tables = {
  providers: () =>
    table(
      ["provider", "conversation", "its id is known", "copies", "other folder", "own screen", "verified with"],
      providers.map(({ capabilities: can, id }) => [
        code(id),
        conversations[can.continuation],
        ids[can.idKnown],
        yes(can.fork),
        yes(!can.cwdBound),
        yes(can.screen),
        can.verifiedWith
      ])
    ),
  "provider-details": () => `\n${providers.map(details).join("\n\n")}\n`,
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

const pages = ["docs/resume.md", "docs/automation.md", "docs/providers.md", "docs/monitor.md"]
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
