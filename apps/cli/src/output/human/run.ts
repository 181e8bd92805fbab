/** How a run began and ended, in words. Pure. */
import { Checkpoint, Text } from "@alluka/core"
import { looks } from "@alluka/tui/list"
import type { Paint } from "../color.js"
import { clock, line } from "./safe.js"

export interface RunOptions {
  readonly paint: Paint
  readonly ascii: boolean
  readonly command: (argv: ReadonlyArray<string>) => string
  readonly redact: (text: string) => string
}

/** The first line of a run. */
export const renderStart = (checkpoint: Checkpoint.Checkpoint, { ascii, paint, redact }: RunOptions): string => {
  const phase = Checkpoint.currentPhase(checkpoint.progress)
  const { running } = looks
  return [
    paint(`${ascii ? running.ascii : running.glyph} ${checkpoint.id}`, "live"),
    line(phase.provider),
    ...(phase.model.requested === null ? [] : [line(phase.model.requested)]),
    line(redact(checkpoint.spec.workspace.cwd)),
    ...(checkpoint.attempt > 1 ? [`attempt ${checkpoint.attempt}`] : [])
  ].join(" · ")
}

/** The last lines of a run: its state and why, what it used, and what can be done now. */
export const renderEnd = (checkpoint: Checkpoint.Checkpoint, { ascii, command, paint }: RunOptions): string => {
  const look = looks[checkpoint.state]
  const { progress, reason } = checkpoint
  const head = paint(`${ascii ? look.ascii : look.glyph} ${look.word}`, look.tone)
  return [
    `${head}${reason === null ? "" : `: ${line(reason.message)}`}`,
    paint(
      `  ${[checkpoint.id, Text.duration(progress.elapsedMs), turns(progress.position.turn), ...usageText(progress.usage), ...changesText(progress.changes)].join(" · ")}`,
      "dim"
    ),
    ...(reason?.resetsAt == null ? [] : [`  The limit resets at ${clock(reason.resetsAt)}.`]),
    ...(progress.denied === 0
      ? []
      : [`  ${progress.denied} tool ${progress.denied === 1 ? "use was" : "uses were"} refused by permission.`]),
    ...(progress.providerExit !== null && checkpoint.state === "completed" && progress.providerExit.code !== 0
      ? [
          `  The provider reported success and then ended with ${progress.providerExit.signal ?? `exit code ${progress.providerExit.code}`}.`
        ]
      : []),
    ...next(checkpoint, command)
  ].join("\n")
}

const next = (checkpoint: Checkpoint.Checkpoint, command: RunOptions["command"]): ReadonlyArray<string> => {
  switch (checkpoint.state) {
    case "interrupted":
    case "failed":
      return [
        `  Go on:  ${command(checkpoint.taskId === null ? ["resume", checkpoint.id] : ["task", "run", "resume"])}`
      ]
    case "cancelled":
      return [`  Go on all the same:  ${command(["resume", checkpoint.id, "--confirm-cancelled"])}`]
    default:
      return []
  }
}

const turns = (turn: number): string => `${turn} ${turn === 1 ? "turn" : "turns"}`

export const usageText = ({ costUsd, inputTokens, outputTokens }: Checkpoint.Usage): ReadonlyArray<string> => [
  ...(inputTokens + outputTokens === 0 ? [] : [`${inputTokens} tokens in, ${outputTokens} out`]),
  ...(costUsd === null || costUsd === 0 ? [] : [`$${costUsd.toFixed(4)}`])
]

export const changesText = (changes: Checkpoint.Changes | null): ReadonlyArray<string> =>
  changes === null || changes.files === 0
    ? []
    : [
        `${changes.files} ${changes.files === 1 ? "file" : "files"} changed (+${changes.insertions} -${changes.deletions})`
      ]
