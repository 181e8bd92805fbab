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
  stdout,
  until
} from "../support/stub/script.js"
import { openWorld, type World, type WorldOptions } from "../support/world.js"
import { allPoints, type Lacking, type Point } from "./points.js"
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
  /** The point from which on the id has been announced; `null`: it never is. */
  readonly announcedAt: Point | null
  readonly storage: { readonly kept: Kept; readonly at: Point } | null
  /** Points that the format does not have. */
  readonly lacking?: Lacking
  /** Its success shows in its exit alone. */
  readonly succeedsByExit?: true
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

/** A run without incident, by the points that it comes past. */
type Story = Readonly<Partial<Record<Point, Steps>>>

const story = (voice: Voice, id = "$SESSION"): Story => {
  const plain: Story = {
    opened: voice.opened(id),
    message: voice.said("Working on it."),
    tool: voice.tool[0],
    toolDone: voice.tool[1],
    midLine: voice.said("Nearly done."),
    result: voice.succeeded(id)
  }
  const { storage } = voice
  if (storage === null) return plain
  return { ...plain, [storage.at]: [{ keep: storage.kept }, ...(plain[storage.at] ?? [])] }
}

const told = (steps: Story): Steps => allPoints.flatMap((point) => steps[point] ?? [])

/** The story up to a point and including it. */
const upTo = (steps: Story, last: Point): Steps =>
  allPoints.slice(0, allPoints.indexOf(last) + 1).flatMap((point) => steps[point] ?? [])

/** The first half of the first line among steps. */
const halfOf = (steps: Steps): Steps => {
  const line = steps.find((step) => "out" in step)
  if (line === undefined || !("out" in line)) throw new Error("there is no line to cut")
  return [stdout(line.out.slice(0, line.out.length / 2))]
}

/** The story until it is cut off. */
const untilCut = (steps: Story, point: Point): Steps => {
  switch (point) {
    case "firstLine":
      return halfOf(steps.opened ?? [])
    case "midLine":
      return [...upTo(steps, "toolDone"), ...halfOf(steps.midLine ?? [])]
    case "exited":
      return upTo(steps, "midLine")
    default:
      return upTo(steps, point)
  }
}

/** Stops at a point for ever, or for `exited` until it may say the rest. */
const stopping = (steps: Story, { go, point, reached }: Extract<Plan, { readonly do: "stopAt" }>): Steps => [
  ...untilCut(steps, point),
  { touch: reached },
  ...(point === "exited" ? [until(go), ...(steps.result ?? []), exit(0)] : [forever])
]

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
  const all = story(voice)
  const common: StubScript = {
    fresh: [],
    lost: voice.noSession,
    ...(voice.storage === null ? {} : { storage: voice.storage.kept.path }),
    ...voice.script?.(world)
  }
  const opened = upTo(all, "opened")
  switch (plan.do) {
    case "finish":
      return { ...common, fresh: [...told(all), exit(0)] }
    case "work":
      return { ...common, fresh: [...upTo(all, "message"), forever] }
    case "stopAt":
      return { ...common, fresh: stopping(all, plan) }
    case "end":
      return { ...common, fresh: [...opened, ...voice.ends[plan.how].steps] }
    case "cut":
      return {
        ...common,
        fresh: [...opened, ...voice.said("The half of").slice(0, 1), stdout('{"type":"mess'), exit(0)]
      }
    case "babble":
      return { ...common, fresh: [...allPoints.flatMap((point) => [...(all[point] ?? []), ...noise]), exit(0)] }
    case "forget":
      return { ...common, fresh: [...told(all), exit(0)], resume: voice.noSession }
    case "announce":
      return { ...common, fresh: [...told(story(voice, plan.id)), exit(0)] }
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
  storedAt: voice.storage?.at ?? "created",
  lacking: voice.lacking ?? {},
  lastWord: voice.succeedsByExit === true ? "none" : "success",
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
