/** What is sent to a server: the conversation so far, in the form that every chat template takes. Pure. */
import type { JsonObject } from "../json.js"
import type { Entry } from "./transcript.js"

/**
 * The messages of a request. Two of one side in a row (a prompt that was never answered, and the next one) become one:
 * several models' templates refuse anything but turns that alternate.
 */
export const messagesOf = (instructions: string | null, entries: ReadonlyArray<Pick<Entry, "role" | "content">>) => {
  const turns: Array<{ role: Entry["role"]; content: string }> = []
  for (const { content, role } of entries) {
    const last = turns.at(-1)
    if (last?.role === role) last.content = `${last.content}\n\n${content}`
    else turns.push({ role, content })
  }
  return [...(instructions === null ? [] : [{ role: "system", content: instructions }]), ...turns]
}

export interface Wanted {
  readonly model: string
  readonly thinking: string | null
  readonly messages: ReturnType<typeof messagesOf>
  /** Ask for the tokens at the end of the stream; some servers refuse a request for it. */
  readonly usage: boolean
}

/** The body of a request. */
export const bodyOf = ({ messages, model, thinking, usage }: Wanted): JsonObject => ({
  model,
  messages,
  stream: true,
  ...(usage ? { stream_options: { include_usage: true } } : {}),
  ...(thinking === null ? {} : { reasoning_effort: thinking })
})
