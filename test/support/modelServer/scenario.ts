/**
 * Which reply a request gets. The last text of the user may carry a marker, `{{name argument}}`; a test may also force one.
 *
 *   {{text}}          one short answer (also without any marker)
 *   {{tool COMMAND}}  one call of the agent's shell tool, then, once its result is in the request, an answer
 *   {{tool-stall COMMAND}}  the same, but the request with its result is never answered
 *   {{loop COMMAND}}  a tool call on every turn, for ever
 *   {{slow N}}        N words, one each 250 ms (default 240: a minute)
 *   {{silent}}        opens the stream and says nothing more
 *   {{stall}}         accepts the request and sends no byte
 *   {{half-first}} {{half}} {{unended}}  half of the first event, half of a later one, all but the end; then nothing (chat)
 *   {{drop}}          a few words, then the connection is cut
 *   {{drop-tool}}     cut in the middle of a tool call
 *   {{429 N}}         rate limit with `retry-after: N` (default 2)
 *   {{usage}}         the vendor's usage limit; resets in an hour
 *   {{quota}}         credit or billing exhausted
 *   {{529}} {{500}} {{503}} {{401}} {{403}} {{404}}   that HTTP error (404: unknown model)
 *   {{overflow}}      the context window is exceeded
 *   {{stream-error}} {{stream-rate}} {{stream-quota}}  an error inside a stream that had begun well
 */
import { lastUserText, type Transcript } from "./transcript.js"

export interface Scenario {
  readonly name: string
  readonly argument: string | null
}

export const plainText: Scenario = { name: "text", argument: null }

const markers = (text: string): ReadonlyArray<Scenario> =>
  Array.from(text.matchAll(/\{\{([a-z0-9-]+)(?: ([^}]*))?\}\}/g), (match) => ({
    name: match[1] ?? "text",
    argument: match[2] ?? null
  }))

/**
 * The scenario that a request asks for: the last marker of the last text of the user. A tool call that was answered since
 * then is over, so `tool` becomes `text` and `tool-stall` becomes `stall`; `loop` stays.
 */
export const scenarioOf = (transcript: Transcript): Scenario => {
  const at = lastUserText(transcript)
  const asked = markers(transcript[at]?.text ?? "").at(-1) ?? plainText
  const answered = transcript.slice(at + 1).some((one) => one.kind === "tool_result")
  if (asked.name === "tool-stall") return { ...asked, name: answered ? "stall" : "tool" }
  return asked.name === "tool" && answered ? plainText : asked
}

/** Numeric argument of a scenario, in the unit the scenario documents. */
export const amount = (scenario: Scenario, otherwise: number): number => {
  const value = Number(scenario.argument ?? Number.NaN)
  return Number.isFinite(value) ? value : otherwise
}

/** The shell command a tool call runs. */
export const command = (scenario: Scenario): string => scenario.argument ?? "echo from-the-tool"

/** Words of an answer, with the pause (ms) after each. */
export const words = (
  scenario: Scenario,
  request: number
): { readonly list: ReadonlyArray<string>; readonly pause: number } => {
  if (scenario.name === "slow") {
    return { list: Array.from({ length: amount(scenario, 240) }, (_, index) => `word${index} `), pause: 250 }
  }
  if (scenario.name === "drop") return { list: ["a partial ", "answer "], pause: 100 }
  return { list: [`This is answer number ${request}.`], pause: 0 }
}
