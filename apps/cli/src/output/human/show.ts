/** Everything about one run, in words. Pure. */
import { Checkpoint, type Decision, type Event, Text } from "@alluka/core"
import { looks, modelText } from "@alluka/tui/list"
import type { Paint } from "../color.js"
import { renderDecision } from "./decision.js"
import { timelineLine } from "./event.js"
import { changesText, usageText } from "./run.js"
import { block, clock, indented, line } from "./safe.js"

export interface ShowOptions {
  readonly paint: Paint
  readonly ascii: boolean
  readonly now: number
  readonly command: (argv: ReadonlyArray<string>) => string
  readonly redact: (text: string) => string
}

export interface Shown {
  readonly checkpoint: Checkpoint.Checkpoint
  readonly decision: Decision.Decision
  readonly lineage: ReadonlyArray<Checkpoint.Checkpoint>
  readonly events: ReadonlyArray<Event.StoredEvent>
  /** Every event, or only the last few. */
  readonly allEvents: boolean
}

/** Events shown where not all were asked for. */
const lastEvents = 12

export const renderShow = (shown: Shown, options: ShowOptions): string => {
  const { ascii, paint } = options
  const { checkpoint } = shown
  const look = looks[checkpoint.state]
  const title = (text: string): string => paint(text, "strong")
  const attempts =
    shown.lineage.length > 1
      ? ["", title("LINEAGE"), ...shown.lineage.map((each) => lineageLine(each, checkpoint, options))]
      : []
  const events = shown.allEvents ? shown.events : shown.events.slice(-lastEvents)
  const left = shown.events.length - events.length
  return [
    `${title(line(checkpoint.title) || "(no title)")}`,
    `${paint(`${ascii ? look.ascii : look.glyph} ${look.word}`, look.tone)}${checkpoint.reason === null ? "" : `: ${line(checkpoint.reason.message)}`}`,
    "",
    ...facts(checkpoint, options),
    ...(checkpoint.state === "running" ? [] : ["", title("RESUME"), renderDecision(shown.decision, options)]),
    ...attempts,
    "",
    title("TIMELINE"),
    ...(left > 0 ? [paint(`  ${left} earlier events: --events`, "dim")] : []),
    ...events.map((event) => `  ${timelineLine(event, clock(event.timestamp), options)}`)
  ].join("\n")
}

const facts = (checkpoint: Checkpoint.Checkpoint, { now, redact }: ShowOptions): ReadonlyArray<string> => {
  const { progress, reason, spec } = checkpoint
  const phase = Checkpoint.currentPhase(progress)
  const { position } = progress
  const setting = (value: Checkpoint.Setting): string => {
    const { actual, requested } = value
    if (requested !== null && actual !== null && requested !== actual)
      return `requested ${line(requested)}, actual ${line(actual)}`
    return modelText(value) || "the provider's default"
  }
  const rows: ReadonlyArray<readonly [string, string | null]> = [
    ["run", `${checkpoint.id}, attempt ${checkpoint.attempt}`],
    ["agent", `${line(checkpoint.agent)}, session ${checkpoint.sessionId}`],
    ["provider", line(phase.provider)],
    ["conversation", phase.providerSession === null ? "not named yet" : conversation(phase.providerSession)],
    ["model", setting(phase.model)],
    ["thinking", setting(phase.thinking)],
    [
      "permission",
      `${spec.permission}${progress.permissionActual === null ? "" : ` (${line(progress.permissionActual)})`}`
    ],
    ["folder", line(redact(spec.workspace.cwd))],
    [
      "git",
      spec.workspace.gitHead === null
        ? null
        : `${line(spec.workspace.gitBranch ?? "detached")} at ${spec.workspace.gitHead.slice(0, 10)}`
    ],
    [
      "started",
      `${clock(checkpoint.startedAt)} (${Text.duration(now - checkpoint.startedAt)} ago), ran ${Text.duration(progress.elapsedMs)}`
    ],
    [
      "ended",
      checkpoint.endedAt === null
        ? null
        : `${clock(checkpoint.endedAt)}${checkpoint.reconciledAt === null ? "" : ", found later"}`
    ],
    [
      "position",
      `turn ${position.turn}, ${position.messages} messages${position.openTool === null ? "" : `, tool ${line(position.openTool.name)} was at work: its effect is uncertain`}`
    ],
    ["reason", reason === null ? null : `${reason.code}${exitText(reason)}`],
    [
      "limit resets",
      reason?.resetsAt == null
        ? null
        : `${clock(reason.resetsAt)}${reason.resetsAtSource === "text" ? " (read from the provider's words)" : ""}`
    ],
    [
      "provider exit",
      progress.providerExit === null
        ? null
        : (progress.providerExit.signal ?? `exit code ${progress.providerExit.code}`)
    ],
    ["usage", usageText(progress.usage).join(", ") || null],
    ["changes", changesText(progress.changes).join("") || null],
    ["refused", progress.denied === 0 ? null : `${progress.denied} tool uses, by permission`],
    [
      "output",
      progress.stream.skipped + progress.stream.oversize === 0
        ? null
        : `${progress.stream.lines} lines, ${progress.stream.skipped} not understood, ${progress.stream.oversize} too long`
    ],
    [
      "labels",
      Object.entries(checkpoint.labels)
        .map(([key, value]) => `${line(key)}=${line(value)}`)
        .join(", ") || null
    ],
    ["owner", checkpoint.state === "running" ? `pid ${checkpoint.owner.pid} on ${line(checkpoint.owner.host)}` : null],
    [
      "cancel",
      checkpoint.cancelRequested === null
        ? null
        : `asked for by ${line(checkpoint.cancelRequested.by)} at ${clock(checkpoint.cancelRequested.at)}`
    ],
    ["dismissed", checkpoint.dismissedAt === null ? null : clock(checkpoint.dismissedAt)]
  ]
  const named = rows.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(13)} ${value}`]))
  const prompt = ["  task", indented(block(spec.prompt), "    ")]
  const instruction =
    spec.instruction === null ? [] : ["  told at this resume", indented(block(spec.instruction), "    ")]
  const words =
    reason?.detail == null || reason.detail === reason.message
      ? []
      : ["  in the provider's words", indented(block(reason.detail), "    ")]
  return [...named, ...prompt, ...instruction, ...words]
}

const conversation = (session: Checkpoint.ProviderSession): string =>
  `${line(session.id)}${session.seenAt === null ? " (chosen, never seen)" : ""}`

const exitText = (reason: Checkpoint.Reason): string =>
  reason.signal !== null
    ? `, signal ${line(reason.signal)}`
    : reason.exitCode === null
      ? ""
      : `, exited with ${reason.exitCode}`

const lineageLine = (
  attempt: Checkpoint.Checkpoint,
  shown: Checkpoint.Checkpoint,
  { ascii, paint }: ShowOptions
): string => {
  const look = looks[attempt.state]
  const mark = attempt.id === shown.id ? "this" : "    "
  return `  ${mark}  ${paint(ascii ? look.ascii : look.glyph, look.tone)} ${look.word.padEnd(11)}  ${attempt.id}  ${clock(attempt.startedAt)}${attempt.reason === null ? "" : `  ${line(attempt.reason.message)}`}`
}
