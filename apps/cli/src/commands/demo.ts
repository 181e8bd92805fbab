/**
 * `alluka demo`: the tour. A run of the demo agent is started in a process of its own, that process is really killed, and
 * the run is found, previewed and resumed, all by the commands that a person would type.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Checkpoints, Event, HostProcesses, Ids, Scope } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Setting, withApp } from "../app.js"
import type { Command, Invocation } from "../Command.js"
import { child, ended, lines } from "../demo/children.js"
import { problem } from "../errors.js"
import { renderEvent } from "../output/human/event.js"
import { Refusal } from "../Refusal.js"

/** How long the demo agent takes for a step, ms: slow enough to watch, fast enough for a tour. */
const usualPaceMs = 900
/** Steps that the first run finishes before its process is killed. */
const stepsBefore = 3
/** How long the demo agent has to notice that its reader is gone, ms. */
const agentMs = 15_000

export const demo: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, (setting) => tour(invocation, setting))

const tour = (invocation: Invocation, setting: Setting) =>
  Effect.gen(function* () {
    const { io, output } = setting
    const paceMs = invocation.options.number("pace") ?? usualPaceMs
    const say = (text: string) => (output.json ? Effect.void : Effect.promise(() => output.text(text)))
    const everywhere = [...homeArguments(io.argv), ...(output.json ? ["--json"] : [])]
    /** Shows a command line and runs it, its output and ours on the same screen. */
    const type = (argv: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        yield* say(output.paint(`$ ${output.command(argv)}`, "strong"))
        const process = yield* child({ io, argv: [...argv, ...everywhere], paceMs, stdout: "inherit" })
        return yield* ended(process)
      }).pipe(Effect.scoped)

    const folder = yield* demoFolder(setting.home)
    yield* say("A tour. The agent in it is a small script without a model; everything else is real.\n")
    yield* say("1. A run starts. Its checkpoint is stored before the agent is started.")
    const { id, pid } = yield* interruptedRun(setting, folder, everywhere, paceMs)

    yield* say(`\n2. The process that owns it is killed in the middle of the work: kill -9 ${pid}`)
    yield* waitForAgent(id)

    yield* say("\n3. Whichever alluka comes next finds the run that lost its process.")
    yield* type(["runs", "list", "-L", "3"])

    yield* say("\n4. What would a resume do? To ask changes nothing.")
    yield* type(["resume", id, "--preview"])

    yield* say("\n5. It goes on in the same conversation, at the step where it stopped.")
    const code = yield* type(["resume", id])

    const checkpoints = yield* Checkpoints.Checkpoints
    const attempts = yield* checkpoints.lineage(Scope.operator, id)
    const last = attempts.at(-1)
    if (code !== 0 || last === undefined || last.state !== "completed") {
      return yield* new Refusal({
        problem: problem(1, "demo_failed", "the tour did not come to its end", {
          hints: [{ argv: ["runs", "show", last?.id ?? id], why: "shows what happened" }]
        })
      })
    }
    yield* say(
      [
        "\nThat is all: the first attempt stays as it ended, the second completed its work.",
        `  ${output.command(["runs", "show", last.id])}   shows both`,
        `  ${output.command(["providers", "list"])}   shows which real agents can be used here`
      ].join("\n")
    )
    return 0
  })

/** Starts a run of the demo agent, shows it, and kills its owner after a few steps. */
const interruptedRun = (setting: Setting, folder: string, everywhere: ReadonlyArray<string>, paceMs: number) =>
  Effect.gen(function* () {
    const { io, output } = setting
    const argv = ["run", "--provider", "demo", "-C", folder, "survey this folder"]
    if (!output.json) yield* Effect.promise(() => output.text(output.paint(`$ ${output.command(argv)}`, "strong")))
    const owner = yield* child({
      io,
      argv: [...argv, ...everywhere.filter((word) => word !== "--json"), "--json"],
      paceMs,
      stdout: "pipe"
    })
    let id: Ids.CheckpointId | null = null
    let steps = 0
    yield* lines(owner).pipe(
      Stream.tap((line) => (output.json ? Effect.promise(() => io.out(`${line}\n`)) : showLine(line, setting))),
      Stream.map(readLine),
      Stream.tap((line) =>
        Effect.sync(() => {
          if (line.id !== null) id = line.id
          if (line.kind === "tool_finished") steps += 1
        })
      ),
      Stream.takeUntil(() => steps >= stepsBefore),
      Stream.runDrain
    )
    const { pid } = owner
    if (id === null || pid === undefined || steps < stepsBefore) {
      return yield* new Refusal({ problem: problem(1, "demo_failed", "the demo run ended before it could be killed") })
    }
    owner.kill("SIGKILL")
    yield* ended(owner)
    return { id: id as Ids.CheckpointId, pid }
  }).pipe(Effect.scoped)

const Line = Schema.parseJson(
  Schema.Struct({
    kind: Schema.String,
    checkpoint_id: Schema.NullOr(Ids.CheckpointId),
    message: Schema.optional(Schema.String),
    payload: Schema.optional(Event.Payload)
  })
)

const readLine = (text: string): { readonly kind: string; readonly id: Ids.CheckpointId | null } =>
  Option.match(Schema.decodeOption(Line)(text), {
    onNone: () => ({ kind: "", id: null }),
    onSome: ({ checkpoint_id, kind }) => ({ kind, id: checkpoint_id })
  })

/** A line of the run's stream in the words that the run would have used itself. */
const showLine = (text: string, { output }: Setting) =>
  Effect.gen(function* () {
    const line = Option.getOrNull(Schema.decodeOption(Line)(text))
    if (line === null || line.checkpoint_id === null || !Schema.is(Event.EventKind)(line.kind)) return
    const shown = renderEvent(
      {
        kind: line.kind,
        checkpointId: line.checkpoint_id,
        message: line.message ?? "",
        payload: line.payload ?? {},
        seq: 0,
        taskId: null,
        timestamp: 0,
        phase: 0
      },
      output
    )
    if (shown !== null && shown !== "") yield* Effect.promise(() => output.text(shown))
  })

/** The demo agent ends by itself when nobody reads it any more; a resume waits for that. */
const waitForAgent = (id: Ids.CheckpointId) =>
  Effect.gen(function* () {
    const processes = yield* HostProcesses.HostProcesses
    for (let waited = 0; waited < agentMs; waited += 100) {
      if ((yield* processes.survivors([id])).length === 0) return
      yield* Effect.sleep(100)
    }
  })

/** A small folder for the demo agent to survey: under the data folder, so that the run can be resumed and looked at later. */
const demoFolder = (home: string) =>
  Effect.try({
    try: () => {
      const folder = join(home, "demo")
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      for (const [name, text] of demoFiles) writeFileSync(join(folder, name), text, { mode: 0o600 })
      return folder
    },
    catch: (cause) =>
      new Refusal({
        problem: problem(
          1,
          "demo_failed",
          `the tour's folder could not be made: ${cause instanceof Error ? cause.message : String(cause)}`
        )
      })
  })

const demoFiles: ReadonlyArray<readonly [name: string, text: string]> = [
  ["README.md", "# A folder for the tour\n\nThe demo agent surveys it step by step.\n"],
  ["hello.js", 'console.log("hello")\n'],
  ["shopping.md", "- bread\n- tea\n"]
]

/** `--home DIR` of this invocation, for the ones that it makes. */
const homeArguments = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = argv.findIndex((word) => word === "--home" || word.startsWith("--home="))
  if (at === -1) return []
  return argv[at] === "--home" ? argv.slice(at, at + 2) : argv.slice(at, at + 1)
}
