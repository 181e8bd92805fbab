/** Help on what belongs to no single command. Tables come from where the program itself looks things up. */
import { ExitCodes, Reasons } from "@alluka/core"
import { type SettingSpec, settings, variableOf, writtenValue } from "../config/settings.js"

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

const exitCodes = (): string =>
  `Exit codes\n\n${table(ExitCodes.exitCodes.map(({ code, meaning }) => [`${code}`.padStart(5), meaning]))}`

const reasons = (): string =>
  [
    "Why a run ended, and the exit code of the process that ran it",
    "",
    table(
      Reasons.runReasonTable.map(({ code, exitCode, meaning, state }) => [`  ${code}`, state, `${exitCode}`, meaning])
    ),
    "",
    "Why a resume does what it does, and the exit code where nothing starts",
    "",
    table(
      Reasons.decisionReasonTable.map(({ exitCode, flag, meaning, reason }) => [
        `  ${reason}`,
        `${exitCode}`,
        flag === null ? meaning : `${meaning} (${flag})`
      ])
    )
  ].join("\n")

const json = (): string =>
  [
    "With --json, stdout holds one JSON document, or one line for each event of run, resume, runs watch and runs logs.",
    "Progress, hints and warnings go to stderr.",
    "",
    "  kind, version    in every document and line; additive changes keep the version",
    "  null             unknown, or not there; a field is never missing",
    "  times            ISO 8601 in UTC with milliseconds; durations are *_ms",
    "  seq              of a stored event: store-wide, rising; null for lines that are not stored",
    "  run_summary      always the last line of a run's stream; state is null where nothing was started",
    "  error            on stderr, where there is no answer; stdout stays empty",
    "",
    "`schema` lists the kinds; `schema KIND` prints the JSON Schema of one. --fields a,b keeps only these fields."
  ].join("\n")

const environment = (): string => {
  const own: ReadonlyArray<readonly [string, string]> = [
    ["ALLUKA_HOME", "data folder (--home is stronger)"],
    ["ALLUKA_NO_INPUT", "never ask, as --no-input"],
    ["ALLUKA_ASCII", "draw with ASCII signs only"],
    ["NO_COLOR, FORCE_COLOR", "colours off or on (--color is stronger, then NO_COLOR)"],
    ["CI, TERM=dumb", "never ask"]
  ]
  const configured = settings
    .filter(({ key }) => !key.includes("*"))
    .map((spec) => [variableOf(spec.key), `${spec.key}: ${spec.help}${defaultText(spec)}`] as const)
  return [
    "Environment variables",
    "",
    table([...own, ...configured].map(([name, what]) => [`  ${name}`, what])),
    "",
    "  ALLUKA_PROVIDERS_<ID>_COMMAND   the program of a provider",
    "",
    "Flags are stronger than the environment, the environment than configuration files, these than the defaults."
  ].join("\n")
}

const defaultText = (spec: SettingSpec): string => {
  const value = writtenValue(spec, spec.default)
  return value === null ? "" : ` (default ${value})`
}

/** The text of each topic. */
export const topics: ReadonlyMap<string, () => string> = new Map([
  ["exit-codes", exitCodes],
  ["reasons", reasons],
  ["json", json],
  ["environment", environment]
])
