/** What a provider's decoder is: a pure state machine from lines to events. */
import { type Checkpoint, RunEvent } from "@alluka/core"
import { type JsonObject, parseObject } from "./json.js"

/** The next state, and what was said. */
export type Step<S> = readonly [state: S, events: ReadonlyArray<RunEvent.RunEvent>]

export interface Ended {
  readonly exit: Checkpoint.ProviderExit
  readonly stderrTail: string
}

export interface Decoder<S> {
  readonly initial: S
  /** One line of stdout, at `now` (ms since 1970). It never throws, whatever the line holds. */
  readonly line: (state: S, line: string, now: number) => Step<S>
  /** What only the end tells: a refusal on stderr, or an error that nothing followed. A success is never made up here. */
  readonly end: (state: S, ended: Ended) => ReadonlyArray<RunEvent.RunEvent>
}

const excerptLength = 200

/** A decoder's `line` for programs that print one JSON object a line: anything else is one skipped line. */
export const jsonLine =
  <S>(step: (state: S, event: JsonObject, now: number) => Step<S>): Decoder<S>["line"] =>
  (state, line, now) => {
    if (line.trim() === "") return [state, []]
    const event = parseObject(line)
    if (event !== null) return step(state, event, now)
    return [state, [RunEvent.RunEvent.LineDropped({ why: "skipped", excerpt: line.slice(0, excerptLength) })]]
  }
