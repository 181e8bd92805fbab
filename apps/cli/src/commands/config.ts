/** `alluka config show|get|set`: what applies here, where it comes from, and the user's own settings. */
import { type Decision, Documents, Provider, Scope, State, TaskRuns, Workspaces } from "@alluka/core"
import * as Effect from "effect/Effect"
import { type Setting, type Step, withApp } from "../app.js"
import { Options } from "../arguments/Option.js"
import type { Command } from "../Command.js"
import { loadConfig, readSource } from "../config/load.js"
import type { Config } from "../config/merge.js"
import { writePrivateFile } from "../config/privateFile.js"
import { isFault, readText, type SettingValue, settingOf, unknownSetting, writtenValue } from "../config/settings.js"
import { trustFileOf } from "../config/trust.js"
import { type Problem, problem, usage } from "../errors.js"
import { renderDecision } from "../output/human/decision.js"
import { line } from "../output/human/safe.js"
import { table } from "../output/human/table.js"
import { Refusal } from "../Refusal.js"
import { configuredGate, configuredRevert } from "../tasks/plan.js"
import { requestOf } from "./task/run.js"

const originText = ({ kind, where }: { readonly kind: string; readonly where: string | null }): string =>
  where === null ? kind : `${kind}: ${where}`

export const show: Command = (invocation, io) =>
  withApp(invocation, io, { open: "inspect" }, (setting) =>
    Effect.gen(function* () {
      const { config, output } = setting
      const document = yield* configDocument(setting, invocation.options.flag("origin") || output.json)
      yield* Effect.promise(() =>
        output.json
          ? output.document(document.json)
          : output.text(inWords(config, document, invocation.options.flag("origin"), setting))
      )
      return 0
    })
  )

const configDocument = (setting: Setting, origins: boolean) =>
  Effect.gen(function* () {
    const { config, home, output, paths } = setting
    const providers = yield* Provider.Providers
    const workspaces = yield* Workspaces.Workspaces
    const here = yield* Effect.option(workspaces.resolve(process.cwd()))
    const drift = here._tag === "None" || here.value.gitHead === null ? null : yield* workspaces.drift(here.value)
    const decision = here._tag === "None" ? null : yield* savedSession(setting)
    const values = [...config.settings.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
    const json = Documents.configDocument(
      {
        paths: {
          home,
          user_config: paths.userConfig,
          trust: paths.userConfig === null ? null : trustFileOf(paths.userConfig),
          project_config: config.project?.path ?? null
        },
        safety: {
          trusted: config.project?.trusted ?? false,
          dirty: drift === null ? null : drift.dirty.length > 0,
          gate_enabled: configuredGate(config) !== null,
          revert_mode: configuredRevert(config),
          interactive: output.interactive
        },
        execution_controls: {
          providers: providers.all.map(({ id }) => id),
          thinking: Object.fromEntries(providers.all.map(({ capabilities, id }) => [id, capabilities.thinkingLevels])),
          permissions: State.Permission.literals
        },
        config: {
          ...Object.fromEntries(values.map(({ key, value }) => [key, writtenValue(settingOf(key), value)])),
          ...Object.fromEntries([...config.described].map(([id, { json }]) => [`providers.${id}`, json]))
        },
        origins: origins
          ? Object.fromEntries([
              ...values.map(({ key, origin }) => [key, originText(origin)] as const),
              ...[...config.described].map(([id, { origin }]) => [`providers.${id}`, originText(origin)] as const)
            ])
          : null
      },
      decision
    )
    return { json, decision }
  })

/** What `task run loop --resume --no-input` would decide here; `null`: there is neither a task nor a saved session. */
const savedSession = (setting: Setting): Step<Decision.Decision | null> =>
  Effect.gen(function* () {
    const runs = yield* TaskRuns.TaskRuns
    const options = new Options({ resume: true, cd: setting.io.cwd })
    return yield* runs.preview(Scope.operator, yield* requestOf({ options }, setting, "loop"))
  })

const inWords = (
  config: Config,
  { decision, json }: Effect.Effect.Success<ReturnType<typeof configDocument>>,
  origins: boolean,
  { output }: Setting
): string => {
  const places = Object.entries(json.paths).map(([name, path]) => [
    `  ${name.replaceAll("_", " ")}`,
    path === null ? "none" : line(path)
  ])
  const rows = [...config.settings.values()]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, origin, value }) => [
      `  ${key}`,
      line(textOf(writtenValue(settingOf(key), value))),
      ...(origins ? [line(originText(origin))] : [])
    ])
  const described = [...config.described].map(([id, { json, origin }]) => [
    `  providers.${line(id)}`,
    "type" in json ? line(`${json.type}`) : "",
    ...(origins ? [line(originText(origin))] : [])
  ])
  return [
    table(["PATHS", ""], places),
    "",
    table(origins ? ["SETTINGS", "", "FROM"] : ["SETTINGS", ""], [...rows, ...described]),
    ...(decision === null ? [] : ["", "SAVED SESSION OF THIS FOLDER", renderDecision(decision, output)])
  ].join("\n")
}

const textOf = (value: SettingValue): string =>
  value === null ? "(not set)" : typeof value === "string" ? value : JSON.stringify(value)

const noSetting = (key: string): Problem =>
  usage(unknownSetting(key), [{ argv: ["config", "show"], why: "shows them with their values" }])

export const get: Command = (invocation, io) =>
  withApp(invocation, io, { open: "nothing" }, (setting) =>
    Effect.gen(function* () {
      const { config, output } = setting
      const key = invocation.args[0] ?? ""
      const spec = settingOf(key)
      if (spec === null) return yield* new Refusal({ problem: noSetting(key) })
      const found = config.settings.get(key)
      const value = writtenValue(spec, found?.value ?? spec.default)
      const from = originText(found?.origin ?? { kind: "default", where: null })
      if (output.json) {
        const { json } = yield* configDocument(setting, true)
        yield* Effect.promise(() => output.document({ ...json, config: { [key]: value }, origins: { [key]: from } }))
        return 0
      }
      yield* Effect.promise(() => {
        return output.text(invocation.options.flag("origin") ? `${textOf(value)}  ${from}` : textOf(value))
      })
      return 0
    })
  )

/** Sets a value in the user's own file; an empty text takes it out. */
export const set: Command = (invocation, io) =>
  withApp(invocation, io, { open: "nothing" }, (setting) =>
    Effect.gen(function* () {
      const { output, paths } = setting
      const [key = "", text = ""] = invocation.args
      const spec = settingOf(key)
      if (spec === null) return yield* new Refusal({ problem: noSetting(key) })
      const value = text === "" ? null : readText(spec, key, text)
      if (value !== null && isFault(value)) return yield* new Refusal({ problem: usage(value.message) })
      if (paths.userConfig === null) {
        return yield* new Refusal({
          problem: problem(1, "no_home", "there is no home folder to keep the configuration in", {
            hints: ["set HOME"]
          })
        })
      }
      yield* writeSetting(paths.userConfig, key, value === null ? null : writtenValue(spec, value))
      if (output.json) {
        const { cwd, env } = setting.io
        const config = yield* Effect.promise(() => loadConfig({ userConfig: paths.userConfig, cwd, env }))
        if ("code" in config) return yield* new Refusal({ problem: config })
        const { json } = yield* configDocument({ ...setting, config }, true)
        yield* Effect.promise(() => output.document(json))
      }
      yield* Effect.promise(() =>
        output.note(
          value === null
            ? `${key} is back at its default`
            : `${key} is ${textOf(writtenValue(spec, value))} in ${paths.userConfig}`
        )
      )
      return 0
    })
  )

const writeSetting = (path: string, key: string, value: SettingValue): Step<void> =>
  Effect.gen(function* () {
    const before = yield* Effect.promise(() => readSource("user", path))
    if (before !== null && "code" in before) return yield* new Refusal({ problem: before })
    const after = withSetting({ ...(before?.json as object | undefined) }, key.split("."), value)
    yield* Effect.try({
      try: () => writePrivateFile(path, `${JSON.stringify(after, null, 2)}\n`),
      catch: (cause) =>
        new Refusal({
          problem: problem(
            1,
            "config_not_saved",
            `${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`
          )
        })
    })
  })

/** The object with a value at a path of names; `null` takes it out. Everything else stays as it is. Pure. */
export const withSetting = (
  object: Record<string, unknown>,
  [name = "", ...rest]: ReadonlyArray<string>,
  value: SettingValue
): Record<string, unknown> => {
  const copy: Record<string, unknown> = { ...object }
  // The dotted form of the same key would contradict what is written now.
  delete copy[[name, ...rest].join(".")]
  if (rest.length > 0) {
    const inner = copy[name]
    const next = withSetting(
      typeof inner === "object" && inner !== null && !Array.isArray(inner) ? (inner as Record<string, unknown>) : {},
      rest,
      value
    )
    if (Object.keys(next).length === 0) delete copy[name]
    else copy[name] = next
  } else if (value !== null) copy[name] = value
  return copy
}
