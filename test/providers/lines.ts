/** Providers whose programs print lines: a voice in the provider's real format, played by the stub agent. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  exit,
  forever,
  type Kept,
  type Steps,
  type StubScript,
  type StubStart,
  stderr,
  stdout
} from "../support/stub/script.js"
import { openWorld, type World, type WorldOptions } from "../support/world.js"
import type { EndName, Heard, Plan, Stage, Storage, Subject } from "./subject.js"

export interface Voice {
  readonly id: string
  readonly label?: string
  readonly program: string
  /** Announces the conversation, where the program does so at its beginning. */
  readonly opened: (id: string) => Steps
  readonly said: (text: string) => Steps
  /** A tool that begins, and one that has ended. */
  readonly tool: readonly [began: Steps, ended: Steps]
  /** The program's own word of success, and what it ends with. */
  readonly succeeded: (id: string) => Steps
  readonly ends: Readonly<Record<EndName, { readonly steps: Steps; readonly code: ReadonlyArray<string> }>>
  /** The answer to a resume of a conversation that is not there. */
  readonly noSession: Steps
  /** The point from which on the id has been announced; see `points`. */
  readonly announcedAt: number
  readonly storage: { readonly kept: Kept; readonly at: number } | null
  readonly read: (start: StubStart) => Omit<Heard, "cwd" | "session" | "resumed" | "forkOf">
  /** What a copy was made of, where that is not an option of the start itself. */
  readonly forkOf?: (starts: ReadonlyArray<StubStart>) => string | null
  readonly script?: (world: World) => Partial<StubScript>
  readonly world?: WorldOptions
  /** The provider's entry in the configuration. */
  readonly entry?: object
}

/** The value after an option. */
export const after = (argv: ReadonlyArray<string>, ...flags: ReadonlyArray<string>): string | null => {
  const at = argv.findIndex((arg) => flags.includes(arg))
  return at < 0 ? null : (argv[at + 1] ?? null)
}

const home = (path: string, world: World, session: string): string =>
  path.replaceAll("$HOME", world.home).replaceAll("$SESSION8", session.slice(0, 8)).replaceAll("$SESSION", session)

/** The steps of a run without incident, in the order of the points at which it may be killed. */
const stages = (voice: Voice, id = "$SESSION"): ReadonlyArray<Steps> => {
  const plain: ReadonlyArray<Steps> = [
    [],
    voice.opened(id),
    voice.said("Working on it."),
    voice.tool[0],
    voice.tool[1],
    voice.said("Nearly done."),
    voice.succeeded(id)
  ]
  const { storage } = voice
  return plain.map((steps, index) => (storage?.at === index ? [{ keep: storage.kept }, ...steps] : steps))
}

/** What is no event: not JSON, not an object, not UTF-8, of a kind that nobody knows, and longer than any line may be. */
export const noise: Steps = [
  stdout("this is no JSON\n"),
  stdout('{"type":"never_heard_of","id":7}\n'),
  stdout("null\n[]\n42\n\n"),
  { bytes: Buffer.from([0xff, 0xfe, 0x00, 0x7b, 0x0a]).toString("base64") },
  { repeat: { text: "x".repeat(1024 * 1024), times: 12 } },
  stdout("\n"),
  stderr("a remark\n\u001b[31mred\u001b[0m\n")
]

const planned = (voice: Voice, world: World, plan: Plan): StubScript => {
  const all = stages(voice)
  const common: StubScript = {
    fresh: [],
    lost: voice.noSession,
    ...(voice.storage === null ? {} : { storage: voice.storage.kept.path }),
    ...voice.script?.(world)
  }
  const opened = all.slice(0, 2).flat()
  switch (plan.do) {
    case "finish":
      return { ...common, fresh: [...all.flat(), exit(0)] }
    case "work":
      return { ...common, fresh: [...all.slice(0, 3).flat(), forever] }
    case "stopAt":
      return { ...common, fresh: [...all.slice(0, plan.point + 1).flat(), { touch: plan.reached }, forever] }
    case "end":
      return { ...common, fresh: [...opened, ...voice.ends[plan.how].steps] }
    case "cut":
      return {
        ...common,
        fresh: [...opened, ...voice.said("The half of").slice(0, 1), stdout('{"type":"mess'), exit(0)]
      }
    case "babble":
      return { ...common, fresh: all.flatMap((steps) => [...steps, ...noise]).concat(exit(0)) }
    case "forget":
      return { ...common, fresh: [...all.flat(), exit(0)], resume: voice.noSession }
    case "announce":
      return { ...common, fresh: [...stages(voice, plan.id).flat(), exit(0)] }
  }
}

const stageOf = (voice: Voice): Stage => {
  const world = openWorld(voice.world)
  if (voice.entry !== undefined) configure(world, { [voice.id]: voice.entry })
  const runs = (): ReadonlyArray<StubStart> => world.stubStarts().filter(({ command }) => command === null)
  return {
    world,
    plan: (plan) => {
      world.stub(voice.program, planned(voice, world, plan))
      return {}
    },
    heard: () =>
      runs().map((start, index) => ({
        ...voice.read(start),
        session: start.session,
        resumed: start.resumed,
        forkOf: start.forkOf ?? (index === runs().length - 1 ? (voice.forkOf?.(world.stubStarts()) ?? null) : null),
        cwd: start.cwd
      }))
  }
}

/** Puts providers into the user's configuration. */
export const configure = (world: World, providers: object): void => {
  const path = join(world.home, ".config/alluka/config.json")
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify({ providers }))
}

/** A file with one row a line, of which the middle may be broken and the end cut. */
const rowStorage = (path: string): Storage => ({
  rows: true,
  file: (world, session) => home(path, world, session).replaceAll("$CWD", world.work)
})

export const lineSubject = (voice: Voice): Subject => ({
  id: voice.id,
  label: voice.label ?? voice.id,
  open: () => Promise.resolve(stageOf(voice)),
  announcedAt: voice.announcedAt,
  storedAt: voice.storage?.at ?? 0,
  // Where the program says nothing new there is no point of its own, and the second message is as good as the first.
  points: stages(voice).flatMap((steps, point) => (point === 0 || (steps.length > 0 && point !== 5) ? [point] : [])),
  storage:
    voice.storage === null || voice.storage.kept.path.endsWith(".db") ? null : rowStorage(voice.storage.kept.path),
  ends: {
    failure: voice.ends.failure.code,
    limit: voice.ends.limit.code,
    auth: voice.ends.auth.code
  },
  without: [],
  ...(voice.entry === undefined ? {} : { entry: voice.entry })
})
