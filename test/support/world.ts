/**
 * A machine of its own for one test: home, store, work folder and PATH in one temporary folder, and everything that was
 * started in it found and ended when the test is over.
 */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFailed, onTestFinished } from "vitest"
import { describeEnd, type Ended, type Running, startCommand } from "./command.js"
import type { CheckpointDocument, Document } from "./documents.js"
import { eventually } from "./eventually.js"
import { endAllWith, type MarkedProcess, processesWith } from "./processes.js"
import type { StubAnswer, StubScript, StubStart } from "./stub/script.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
/** The program under test, as it is shipped; ALLUKA_TEST_PROGRAM names another build of it. */
export const program = process.env.ALLUKA_TEST_PROGRAM ?? join(root, "apps/cli/dist/alluka.cjs")
const stubAgent = fileURLToPath(new URL("./stub/agent.mjs", import.meta.url))
const stubAcpAgent = fileURLToPath(new URL("./stub/acpAgent.mjs", import.meta.url))

/** Carried by everything that a world starts, so that all of it can be found again. */
const worldMark = "ALLUKA_TEST_WORLD"
const runMark = "ALLUKA_RUN"

export interface StartOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string
}

export interface World {
  readonly folder: string
  readonly home: string
  /** `$ALLUKA_HOME`. */
  readonly store: string
  /** Where commands run unless told otherwise: an empty git repository. */
  readonly work: string
  readonly bin: string
  readonly env: Readonly<Record<string, string>>
  /** Starts `alluka ARGS`. */
  readonly start: (args: ReadonlyArray<string>, options?: StartOptions) => Running
  /** Runs `alluka ARGS` to its end. */
  readonly run: (args: ReadonlyArray<string>, options?: StartOptions & { readonly withinMs?: number }) => Promise<Ended>
  /** Runs a script in bash, where `alluka` is the program under test. */
  readonly shell: (script: string, options?: StartOptions & { readonly withinMs?: number }) => Promise<Ended>
  /** Runs `alluka ARGS --json`, expects exit code 0, and gives the one document. */
  readonly json: <Shape extends Document>(args: ReadonlyArray<string>, options?: StartOptions) => Promise<Shape>
  /** `runs show ID --json`, in a new process. */
  readonly show: (id: string) => Promise<CheckpointDocument>
  /** Puts a stub agent with this name first on PATH, or gives it another script. */
  readonly stub: (name: string, script: StubScript) => void
  /** Every invocation of a stub so far. */
  readonly stubStarts: () => ReadonlyArray<StubStart>
  readonly stubAnswers: () => ReadonlyArray<StubAnswer>
  /** Waits until stubs were called `count` times, and gives the last call. */
  readonly stubStart: (count: number, withinMs?: number) => Promise<StubStart>
  /** Every live process that was started in this world. */
  readonly running: () => ReadonlyArray<MarkedProcess>
  /** Live processes of runs in this world: those that carry Alluka's mark. */
  readonly marked: (checkpoint?: string) => ReadonlyArray<MarkedProcess>
  /** Waits until no marked process of the checkpoint is left. */
  readonly noneMarked: (checkpoint: string, withinMs?: number) => Promise<void>
  /** A path in the world's folder. */
  readonly path: (...parts: ReadonlyArray<string>) => string
  /** Lets a stub go on that waits with an `until` step for this path. */
  readonly touch: (path: string) => void
}

const readLog = (file: string): ReadonlyArray<Record<string, unknown>> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((one) => one !== "")
        .map((one) => JSON.parse(one) as Record<string, unknown>)
    : []

export interface WorldOptions {
  /** Folders to look for programs in, after the stubs. */
  readonly path?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Runs everything as this user; only root can. */
  readonly asUser?: number
}

/** Opens a world that lasts until the end of the current test. */
export const openWorld = (options: WorldOptions = {}): World => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "alluka-world-")))
  const path = (...parts: ReadonlyArray<string>): string => join(folder, ...parts)
  const [home, store, work, bin] = [path("home"), path("store"), path("work"), path("bin")]
  for (const one of [home, store, work, bin]) mkdirSync(one, { mode: 0o700 })
  symlinkSync(process.execPath, join(bin, "node"))
  writeFileSync(join(bin, "alluka"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 })
  execFileSync("git", ["init", "--quiet", work], { env: { PATH: process.env.PATH ?? "", HOME: home } })

  if (options.asUser !== undefined) {
    for (const one of [folder, home, store, work, bin]) chownSync(one, options.asUser, options.asUser)
  }

  const stubLog = path("stub.log")
  const stubScript = path("stub.json")
  const scripts: Record<string, StubScript> = {}
  const env: Record<string, string> = {
    PATH: [bin, ...(options.path ?? []), "/usr/bin", "/bin"].join(":"),
    HOME: home,
    ALLUKA_HOME: store,
    LANG: "C.UTF-8",
    TZ: "UTC",
    STUB_LOG: stubLog,
    STUB_SCRIPT: stubScript,
    [worldMark]: folder,
    ...options.env
  }

  const commands: Array<Running> = []
  const startWith = (
    file: string,
    before: ReadonlyArray<string>,
    args: ReadonlyArray<string>,
    { cwd = work, env: own = {}, input }: StartOptions
  ): Running => {
    const merged = Object.fromEntries(
      Object.entries({ ...env, ...own }).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
    )
    const running = startCommand(file, before, args, {
      cwd,
      env: merged,
      ...(input === undefined ? {} : { input }),
      ...(options.asUser === undefined ? {} : { asUser: options.asUser })
    })
    commands.push(running)
    return running
  }
  const start: World["start"] = (args, started = {}) => startWith(process.execPath, [program], args, started)
  const shell: World["shell"] = (script, { withinMs, ...started } = {}) =>
    startWith("/bin/bash", ["-c"], [script], started).ended(withinMs)
  const run: World["run"] = (args, { withinMs, ...started } = {}) => start(args, started).ended(withinMs)
  const json = async <Shape extends Document>(args: ReadonlyArray<string>, started?: StartOptions): Promise<Shape> => {
    const ended = await run([...args, "--json"], started)
    if (ended.code !== 0) throw new Error(`expected exit code 0\n${describeEnd(ended)}`)
    return ended.document<Shape>()
  }
  const inWorld = (): ReadonlyArray<MarkedProcess> => processesWith(worldMark, folder)
  const marked: World["marked"] = (checkpoint) =>
    inWorld().filter((one) =>
      checkpoint === undefined ? one.env[runMark] !== undefined : one.env[runMark] === checkpoint
    )
  const stubStarts: World["stubStarts"] = () =>
    readLog(stubLog).flatMap((entry) => ("argv" in entry ? [entry as unknown as StubStart] : []))

  onTestFailed(() => {
    const shown = commands
      .slice(-8)
      .map((one) => `pid ${one.pid}\nstdout: ${one.stdout().slice(-500)}\nstderr: ${one.stderr().slice(-1000)}`)
    process.stderr.write(`the last commands of ${folder}:\n${shown.join("\n---\n")}\n`)
  })
  onTestFinished(async () => {
    await endAllWith(worldMark, folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }, 30_000)

  return {
    folder,
    home,
    store,
    work,
    bin,
    env,
    start,
    run,
    shell,
    json,
    show: (id) => json<CheckpointDocument>(["runs", "show", id]),
    stub: (name, script) => {
      scripts[name] = script
      writeFileSync(stubScript, JSON.stringify(scripts))
      const file = join(bin, name)
      if (!existsSync(file)) {
        // `exec`: the stub is the very process that was started, as the real program would be.
        const agent = script.acp === undefined ? stubAgent : stubAcpAgent
        writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${agent}" ${name} "$@"\n`)
        chmodSync(file, 0o755)
      }
    },
    stubStarts,
    stubAnswers: () => readLog(stubLog).flatMap((entry) => ("asked" in entry ? [entry as unknown as StubAnswer] : [])),
    stubStart: (count, withinMs = 30_000) =>
      eventually(() => stubStarts()[count - 1], { withinMs, what: `start number ${count} of a stub` }),
    running: inWorld,
    marked,
    noneMarked: async (checkpoint, withinMs = 10_000) => {
      await eventually(
        () => {
          const left = marked(checkpoint)
          if (left.length > 0) throw new Error(left.map((one) => `${one.pid} ${one.command}`).join("; "))
          return true
        },
        { withinMs, what: `no process marked with ${checkpoint}` }
      )
    },
    path,
    touch: (file) => {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, "")
    }
  }
}
