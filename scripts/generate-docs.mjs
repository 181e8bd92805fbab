#!/usr/bin/env node
/**
 * Writes the tables of the documentation that come from code, between `<!-- generated:NAME -->` and
 * `<!-- /generated:NAME -->`. `--check` changes nothing and fails where a page differs from the code. Needs a build.
 *
 *   node scripts/generate-docs.mjs [--check]
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Continuity, Decide, Decision, ExitCodes, HostProcesses, Phases, Provider, Reasons } from "@alluka/core"
import { endedCheckpoint, sampleFacts } from "@alluka/core/testing"
import { Registry } from "@alluka/providers"
import { keysPage } from "@alluka/tui"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { settings, writtenValue } from "../apps/cli/dist/config/settings.js"

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

/** What a task run decides about a saved session: the decision itself, made of facts. */
const taskDecision = (task, given = {}) => {
  const checkpoint = endedCheckpoint("owner_lost", { taskId: "T-0001" })
  const facts = sampleFacts({
    checkpoint,
    ...given,
    task: {
      classification: "valid",
      explicitOther: false,
      declined: false,
      confirmed: false,
      tasksCompleted: 0,
      target: "ok",
      ...task
    }
  })
  const decision = Decide.decide(facts)
  const exit = ExitCodes.exitCodeOfDecision(decision)
  const does = {
    resuming_same_session: "goes on",
    falling_back_to_fresh_invocation: "begins anew",
    refusing_to_resume: `refuses (${exit})`
  }
  return `${does[decision.status]}: ${code(decision.reason)}`
}

const savedSessions = [
  ["its task is being done", {}, {}],
  [`the same, older than ${code("resume.max_age")}`, { classification: "timed_out" }, { now: Number.MAX_SAFE_INTEGER }],
  ["its task is not being done any more", { classification: "stale" }, {}],
  ["its task is done or rejected", { classification: "stale", target: "terminal" }, {}],
  ["its task was removed", { classification: "stale", target: "missing" }, {}],
  ["its record is damaged", {}, { checkpoint: null, trouble: "record_corrupt" }]
]

const written = (setting) => (setting.default === null ? "" : code(String(writtenValue(setting, setting.default))))

const phaseHelp = {
  run: "all of it",
  plan: "studies the folder and makes a plan; may only read, unless it is told otherwise for this very phase",
  implement: "does the task by that plan",
  review: "looks whether it is done wholly and well, and puts right what is not"
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
  phases: () =>
    table(
      ["phases", "name", "what the agent does", "check after it"],
      [1, 2, 3].flatMap((count) =>
        Phases.phaseNames(count).map((name, index) => [
          index === 0 ? code(`--phases ${count}`) : "",
          name,
          phaseHelp[name],
          Phases.isGated(name) ? "yes" : "no"
        ])
      )
    ),
  "task-decisions": () =>
    table(
      ["saved session", "nothing said, nobody to ask", code("--resume"), code("--no-resume"), "another task by `--id`"],
      [
        ["none", "begins the next task", "begins anew: `no_session`", "begins the next task", "begins that task"],
        ...savedSessions.map(([what, task, given]) => [
          what,
          taskDecision(task, given),
          taskDecision({ ...task, confirmed: true }, given),
          taskDecision({ ...task, declined: true }, given),
          taskDecision({ ...task, explicitOther: true }, given)
        ])
      ]
    ),
  settings: () =>
    table(
      ["setting", "default", "what it is for"],
      settings.map((setting) => [code(setting.key.replace("*", "ID")), written(setting), setting.help])
    ),
  "task-settings": () =>
    table(
      ["setting", "default", "what it is for"],
      settings
        .filter(({ key }) => key.startsWith("task."))
        .map((setting) => [code(setting.key), written(setting), setting.help])
    ),
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

const pages = [
  "docs/resume.md",
  "docs/automation.md",
  "docs/configuration.md",
  "docs/providers.md",
  "docs/tasks.md",
  "docs/monitor.md"
]
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
