/** The events that a server's answer tells while it comes. */
import { RunEvent } from "@alluka/core"
import { join, letGo, nothingHeld, type Piece } from "../joinedText.js"
import type { JsonObject } from "../json.js"
import { inStream } from "./client.js"
import { add, type Completion, nothingYet } from "./completion.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

/** The longest answer, in characters. */
const mostChars = 8 * 1024 * 1024

export interface Reader {
  readonly take: (piece: JsonObject) => void
  readonly sign: () => void
  readonly completion: () => Completion
  /** The end of what was told: the output file's last lines, and the message as far as it came. */
  readonly rest: () => ReadonlyArray<Event>
}

/**
 * Folds the pieces and tells them; called from the stream's callbacks, so it keeps its state itself. `now`: ms since 1970.
 * `take` throws a `ServerFault` for an answer that is too long.
 */
export const makeReader = (now: () => number, tell: (...events: ReadonlyArray<Event>) => void): Reader => {
  let completion = nothingYet
  let held = nothingHeld
  let signAt: number | null = null
  const say = (...events: ReadonlyArray<Event>): void => {
    if (events.length > 0) tell(...events)
  }
  const sign = (): void => {
    const at = now()
    const first = signAt === null
    if (signAt !== null && at - signAt < 1000) return
    signAt = at
    if (!first) say(event.SettingsReported({ model: null, thinking: null, permission: null }))
  }
  return {
    take: (piece) => {
      const next = add(completion, piece)
      const more = next.text.slice(completion.text.length)
      if (next.text.length > mostChars) {
        throw inStream(`the answer is longer than ${mostChars / 1024 / 1024} MiB`)
      }
      if (next.model !== null && completion.model === null) {
        say(event.SettingsReported({ model: next.model, thinking: null, permission: null }))
      }
      completion = next
      const [after, pieces] = join(held, "assistant", more, now())
      held = after
      say(...pieces.map(lineOf))
      if (pieces.length === 0) sign()
    },
    sign,
    completion: () => completion,
    rest: () => {
      const lines = letGo(held).map(lineOf)
      held = nothingHeld
      const { text } = completion
      return text.trim() === "" ? lines : [...lines, event.Message({ role: "assistant", id: null, text })]
    }
  }
}

const lineOf = ({ key, text }: Piece): Event =>
  event.LineRead({ from: "stdout", text: JSON.stringify({ role: key, content: text }) })
