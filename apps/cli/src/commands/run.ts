/** `alluka run`: a new run in the foreground, or left in the background. */
import { resolve } from "node:path"
import { BeginRun, CheckpointStore, Documents, Facts, Provider, Resume, Scope, type State } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Setting, type Step, withApp } from "../app.js"
import { ask, choose, confirm } from "../ask.js"
import type { Command, Invocation } from "../Command.js"
import { type Choice, chooseProvider } from "../chooseProvider.js"
import { permissionSetting, textSetting } from "../config/merge.js"
import { followWithResets } from "../continueAtReset.js"
import { problem, usage } from "../errors.js"
import { finish, followElsewhere, watchRun } from "../follow.js"
import type { Launch } from "../launch.js"
import { launchDetached } from "../launcher.js"
import { limitsOf } from "../limits.js"
import { promptText } from "../prompt.js"
import { Refusal } from "../Refusal.js"
import { refuse } from "../refuse.js"
import { sessionIdOf } from "../sessions.js"
import { answerLaunch, printStarted } from "../started.js"

export const run: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, (setting) => runCommand(invocation, setting, null))

export const runCommand = (invocation: Invocation, setting: Setting, launch: Launch | null): Step<number> =>
  Effect.gen(function* () {
    const { options } = invocation
    const { config, io, output } = setting
    const prompt = launch?.prompt ?? (yield* promptOf(invocation, setting))
    const detach = options.flag("detach") && launch === null
    const key = options.text("key")
    const answered = key === null || launch !== null ? null : yield* answerByKey(key, detach, setting)
    if (answered !== null) return answered
    if (detach) return yield* answerLaunch(yield* launchDetached(io, io.argv, prompt), setting)

    const request = {
      agent: options.text("agent") ?? textSetting(config, "run.agent") ?? "default",
      key,
      labels: options.pairs("label"),
      title: options.text("title"),
      prompt,
      providerArgs: invocation.passThrough,
      model: options.text("model"),
      thinking: options.text("thinking"),
      limits: limitsOf(setting, invocation)
    }
    const started = yield* options.text("session") === null
      ? beginNew(invocation, setting, request, launch)
      : followUp(invocation, setting, request, launch)
    if (started._tag === "Refused") return yield* refuse(started.decision, setting, launch)
    if (launch !== null) yield* launch.started(started.run)
    else if (io.stdoutTerminal || io.stderrTerminal) {
      yield* Effect.promise(() =>
        output.note("Closing this terminal stops the run and keeps it resumable; --detach starts one that stays.")
      )
    }
    if (options.flag("continueAtReset")) {
      return yield* followWithResets(started.run, started.decision, {
        setting,
        limits: request.limits,
        request: Facts.plainRequest
      })
    }
    return yield* finish(yield* watchRun(started.run, started.decision, output), output)
  }).pipe(Effect.scoped)

interface Asked
  extends Pick<
    BeginRun.RunRequest,
    "agent" | "key" | "labels" | "title" | "prompt" | "providerArgs" | "model" | "thinking" | "limits"
  > {}

const beginNew = (invocation: Invocation, setting: Setting, asked: Asked, launch: Launch | null) =>
  Effect.gen(function* () {
    const { options } = invocation
    const { config, io } = setting
    const provider = yield* providerOf(invocation, setting)
    const live = yield* BeginRun.beginRun(Scope.operator, {
      ...asked,
      provider,
      sessionId: null,
      origin: originOf(invocation),
      permission:
        (options.text("permission") as State.Permission | null) ?? permissionSetting(config, "run.permission"),
      addDirs: options.list("addDir").map((dir) => resolve(io.cwd, dir)),
      cwd: resolve(io.cwd, options.text("cd") ?? "."),
      id: launch?.id ?? null
    })
    return { _tag: "Started" as const, run: live, decision: null }
  })

/** A new run in an old session, going on in its conversation. */
const followUp = (invocation: Invocation, setting: Setting, asked: Asked, launch: Launch | null) =>
  Effect.gen(function* () {
    const { options } = invocation
    const resume = yield* Resume.Resume
    const session = yield* sessionIdOf(options.text("session") ?? "")
    const cd = options.text("cd")
    return yield* resume.followUp(Scope.operator, session, asked, {
      request: {
        ...Facts.plainRequest,
        scope: "continue_session",
        model: asked.model,
        thinking: asked.thinking,
        permission: options.text("permission") as State.Permission | null,
        provider: options.text("provider"),
        cd: cd === null ? null : resolve(setting.io.cwd, cd)
      },
      limits: asked.limits,
      ...(launch?.id == null ? {} : { id: launch.id })
    })
  })

const originOf = (invocation: Invocation): State.Origin =>
  (invocation.options.text("origin") as State.Origin | null) ?? "manual"

const promptOf = ({ args, options }: Invocation, { output }: Setting) =>
  Effect.gen(function* () {
    const given = yield* promptText({ argument: args[0] ?? null, flag: options.text("prompt") })
    const text = given ?? (output.interactive ? yield* ask("What should the agent do?") : null)
    if (text !== null && text.trim() !== "") return text
    return yield* new Refusal({
      problem: usage(text === null ? "there is no task" : "the task is empty", [
        { argv: ["run", "fix the failing test"], why: "names it as an argument" },
        { argv: ["run", "-"], why: "reads it from stdin" }
      ])
    })
  })

/** The provider that a new run is started with, where nobody named one for it: asked for where several would do. */
export const providerOf = (invocation: Invocation, { config, output }: Setting) =>
  Effect.gen(function* () {
    const providers = yield* Provider.Providers
    const real = providers.all.filter(({ id }) => id !== "demo")
    const flag = invocation.options.text("provider")
    const configured = textSetting(config, "run.provider")
    const installed =
      (flag ?? configured) !== null
        ? []
        : yield* Effect.filter(real, (each) => Effect.map(each.detect, ({ _tag }) => _tag === "Installed"), {
            concurrency: "unbounded"
          })
    const choice = chooseProvider({
      flag,
      configured,
      installed: installed.map(({ id }) => id),
      interactive: output.interactive
    })
    return yield* settle(choice, real)
  })

const settle = (choice: Choice, real: ReadonlyArray<Provider.Provider>): Effect.Effect<string, Refusal> => {
  switch (choice._tag) {
    case "Chosen":
      return Effect.succeed(choice.provider)
    case "AskWhich":
      return Effect.flatMap(choose("Which agent should do it?", choice.among), (chosen) =>
        chosen === null ? Effect.fail(several(choice.among)) : Effect.succeed(chosen)
      )
    case "AskDemo":
      return Effect.flatMap(
        confirm("No agent program is installed. Let the demo agent do it (a script without a model)?", false),
        (yes) => (yes ? Effect.succeed("demo") : Effect.fail(none(real)))
      )
    case "Several":
      return Effect.fail(several(choice.among))
    case "None":
      return Effect.fail(none(real))
  }
}

const several = (among: ReadonlyArray<string>): Refusal =>
  new Refusal({
    problem: usage(`several agent programs are installed (${among.join(", ")}): name one with --provider`, [
      { argv: ["config", "set", "run.provider", among[0] ?? "claude"], why: "settles it" }
    ])
  })

const none = (real: ReadonlyArray<Provider.Provider>): Refusal =>
  new Refusal({
    problem: problem(4, "no_provider", "no agent program is installed; nothing was started", {
      hints: [
        ...real.map(({ install, title }) => `${title}: ${install}`),
        { argv: ["demo"], why: "shows it without one" }
      ]
    })
  })

/** A run with the same key that is live or completed answers instead of a new one. */
const answerByKey = (key: string, detach: boolean, setting: Setting) =>
  Effect.gen(function* () {
    const { output } = setting
    const store = yield* CheckpointStore.CheckpointStore
    const found = Option.getOrNull(yield* store.byKey(key))
    if (found === null) return null
    if (detach && (found.state === "running" || found.state === "completed")) return yield* printStarted(found, setting)
    if (found.state === "running") {
      yield* Effect.promise(() => output.note(`${found.id} with this key is running; following it`))
      return yield* followElsewhere(found, output)
    }
    if (found.state !== "completed") return null
    yield* Effect.promise(() =>
      output.json
        ? output.document(Documents.runSummary({ checkpoint: found, ended: true, exitCode: 0 }))
        : output.text(`${found.id} with this key has completed; nothing was started.`)
    )
    return 0
  })
