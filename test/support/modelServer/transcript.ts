/**
 * The one view of a request that scenarios and assertions work on: a flat list of what was said, whatever the wire format.
 */

export interface TranscriptItem {
  readonly role: "user" | "assistant" | "system" | "other"
  readonly kind: "text" | "tool_use" | "tool_result" | "other"
  readonly text: string
  /** Id that links a tool's use and result; empty where the format has none. */
  readonly id: string
  /** Name of the tool that was used; empty otherwise. */
  readonly name: string
}

export type Transcript = ReadonlyArray<TranscriptItem>

export const item = (
  role: TranscriptItem["role"],
  kind: TranscriptItem["kind"],
  text: string,
  id = "",
  name = ""
): TranscriptItem => ({ role, kind, text, id, name })

/** A value of parsed JSON, looked at without trust. */
export const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const text = (value: unknown): string => (typeof value === "string" ? value : "")

export const role = (value: unknown): TranscriptItem["role"] =>
  value === "user" || value === "assistant" ? value : value === "system" || value === "developer" ? "system" : "other"

/** A text without what agents put before it in the user's turn: reminders, the date, in tags of their own. */
const own = (value: string): string => value.replace(/^\s*(?:<([\w-]+)[^>]*>[\s\S]*?<\/\1>\s*)+/, "")

/** Texts that agents put into the user's turn themselves: reminders, the environment, instructions files. */
const isInjected = (value: string): boolean => /^\s*(<|# AGENTS|$)/.test(own(value))

/** What the person (or Alluka in their name) said, oldest first, without what the agent's program added. */
export const userTexts = (transcript: Transcript): ReadonlyArray<string> =>
  transcript.flatMap((one) =>
    one.role === "user" && one.kind === "text" && !isInjected(one.text) ? [own(one.text)] : []
  )

/** Index of the last text of the user that was not injected; -1 if there is none. */
export const lastUserText = (transcript: Transcript): number =>
  transcript.findLastIndex((one) => one.role === "user" && one.kind === "text" && !isInjected(one.text))
