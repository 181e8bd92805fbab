/** `alluka doctor [ID] [--fix]`: looks for what would get in the way of runs and resumes, or of the resume of one run. */
import { Documents, Explain, HostProcesses, Provider, Recovery, Resume, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import { type Setting, type Step, withApp } from "../app.js"
import type { Command, Invocation } from "../Command.js"
import { placeText, tellFaults } from "../config/fault.js"
import { describedProviders } from "../describedProviders.js"
import { careChecks } from "../doctor/care.js"
import { type Check, check } from "../doctor/check.js"
import { storeChecks } from "../doctor/store.js"
import { everyRun } from "../everyRun.js"
import { findRun } from "../ids.js"
import { line } from "../output/human/safe.js"
import { outputOf } from "../output/Output.js"

export const doctor: Command = async (invocation, io) => {
  const output = outputOf(io, invocation.options)
  const found: Array<Check> = []
  // A store that cannot be opened is a finding like the others, not the end of the examination.
  const code = await withApp(
    invocation,
    io,
    {
      open: invocation.args[0] === undefined ? "nothing" : "inspect",
      onProblem: async ({ code: id, detail, hints, message }) => {
        found.push(
          check(id, "problem", message, {
            detail,
            try: hints.map((hint) => (typeof hint === "string" ? hint : output.command(hint.argv)))
          })
        )
      }
    },
    (setting) => {
      const id = invocation.args[0]
      const checks = id === undefined ? examine(invocation, setting) : examineRun(id, setting)
      return Effect.map(checks, (all) => found.push(...all) * 0)
    }
  )
  const report = Documents.doctorReportDocument(found)
  if (output.json) await output.document(report)
  else await output.text(found.map((each) => inWords(each, output.paint)).join("\n"))
  return code !== 0 || !report.ok ? 1 : 0
}

const looks = {
  ok: ["ok", "good"],
  warning: ["note", "warn"],
  problem: ["problem", "bad"],
  fixed: ["fixed", "good"],
  skipped: ["skipped", "dim"]
} as const

const inWords = (each: Check, paint: Setting["output"]["paint"]): string => {
  const [word, tone] = looks[each.status]
  return [
    `${paint(word.padEnd(8), tone)} ${line(each.message, 400)}`,
    ...(each.detail === null ? [] : [`         ${line(each.detail, 600)}`]),
    ...each.try.map((hint) => paint(`         try: ${line(hint, 400)}`, "dim"))
  ].join("\n")
}

const examine = (invocation: Invocation, setting: Setting): Step<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const fix = invocation.options.flag("fix")
    return [
      check("node", "ok", `Node ${process.versions.node} on ${process.platform}`),
      ...(yield* Effect.promise(() => configuration(setting))),
      ...(yield* storeChecks(setting, fix)),
      ...(yield* runs(setting, fix)),
      ...(yield* careChecks(setting, fix)),
      ...(yield* programs)
    ]
  })

/** The facts that a resume of one run depends on. Changes nothing. */
const examineRun = (typed: string, { output }: Setting): Step<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const { id } = yield* findRun(typed, output)
    const resume = yield* Resume.Resume
    const { decision, facts } = yield* resume.examine(Scope.operator, id)
    return Explain.explain(facts, decision).map((found) => ({
      ...found,
      try: found.id === "resume" ? decision.alternatives.flatMap(({ argv }) => hint(argv, output)) : []
    }))
  })

const hint = (argv: ReadonlyArray<string>, output: Setting["output"]): ReadonlyArray<string> =>
  argv.length === 0 ? [] : [output.command(argv)]

const configuration = async ({ config, output, paths }: Setting): Promise<ReadonlyArray<Check>> => {
  const faults = await tellFaults([...config.faults, ...describedProviders(config).faults])
  const { duplicatesIn } = await import("../config/positions.js")
  const twice = config.files.flatMap(({ path, text }) =>
    duplicatesIn(text).map(({ column, countsInLine, line: at, name }) =>
      check("config_twice", "warning", `${placeText({ path, line: at, column })}: "${name}" is set twice`, {
        detail: `only the last one counts, in line ${countsInLine}`
      })
    )
  )
  return [
    ...(faults.length === 0
      ? [
          check(
            "config",
            "ok",
            `the configuration is read from ${paths.userConfig ?? "nowhere: there is no home folder"}`
          )
        ]
      : faults.map((fault) =>
          check("config", "problem", fault, { try: [output.command(["config", "show", "--origin"])] })
        )),
    ...twice,
    ...(config.project !== null && !config.project.trusted
      ? [
          check("trust", "warning", `${config.project.path} is not trusted and does not count`, {
            try: [output.command(["trust"])]
          })
        ]
      : [])
  ]
}

const runs = ({ output }: Setting, fix: boolean): Step<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const recovery = yield* Recovery.Recovery
    const processes = yield* HostProcesses.HostProcesses
    const found = yield* recovery.reconcile
    const { items } = yield* everyRun({ attempts: true, dismissed: true })
    const ended = items.filter(({ state }) => state !== "running")
    const survivors = yield* processes.survivors(ended.map(({ id }) => id))
    const left =
      fix && survivors.length > 0
        ? yield* processes.endAll(
            survivors.map(({ checkpointId }) => checkpointId),
            5000
          )
        : survivors
    return [
      check("runs", "ok", `${items.length} runs, ${items.length - ended.length} running`),
      ...(found.ended.length === 0
        ? []
        : [check("lost_runs", "fixed", `${found.ended.length} runs had lost their process and are ended now`)]),
      ...(found.unsaved === null
        ? []
        : [
            check("lost_runs_unsaved", "problem", `the end of lost runs could not be stored: ${found.unsaved.message}`)
          ]),
      ...found.unknown.map(({ host, pid, why }) =>
        check(
          "owner_unknown",
          "warning",
          `a run is held by pid ${pid} on ${host}, and whether that is alive cannot be proven (${why})`,
          {
            try: [output.command(["cancel", "ID", "--assume-owner-dead"])]
          }
        )
      ),
      ...(survivors.length === 0
        ? []
        : [
            check(
              "survivors",
              left.length === 0 ? "fixed" : "warning",
              `${survivors.length} processes of ended runs ${left.length === 0 ? "were ended" : "are alive"}`,
              {
                detail: survivors
                  .map(({ checkpointId, command, pid }) => `pid ${pid} (${command}) of ${checkpointId}`)
                  .join(", "),
                try:
                  left.length === 0
                    ? []
                    : [...new Set(left.map(({ checkpointId }) => output.command(["cancel", checkpointId])))]
              }
            )
          ])
    ]
  })

const programs: Step<ReadonlyArray<Check>> = Effect.gen(function* () {
  const providers = yield* Provider.Providers
  const found = yield* Effect.forEach(
    providers.all,
    (provider) => Effect.map(provider.detect, (availability) => ({ provider, availability })),
    { concurrency: "unbounded" }
  )
  const installed = found.filter(
    ({ availability, provider }) => availability._tag === "Installed" && provider.id !== "demo"
  )
  return [
    ...found.map(({ availability, provider }) =>
      availability._tag === "Installed"
        ? check(`provider_${provider.id}`, "ok", `${provider.id}: ${availability.command}`)
        : check(`provider_${provider.id}`, "skipped", `${provider.id} is not installed`, { try: [provider.install] })
    ),
    ...(installed.length === 0
      ? [
          check("no_provider", "warning", "no agent program is installed; only the demo agent can work", {
            try: found.map(({ provider }) => provider.install)
          })
        ]
      : [])
  ]
})
