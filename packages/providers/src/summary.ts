/** One line about a tool use, from whatever the tool was given or gave back. */
import { object, text } from "./json.js"

const length = 400

/** The beginning of a text as one line. */
export const brief = (value: string): string => {
  const line = value
    .slice(0, length * 4)
    .replace(/\s+/g, " ")
    .trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}

/** The fields that say most about a tool use, best first. */
const telling = ["command", "file_path", "path", "filePath", "pattern", "query", "url", "description", "prompt"]

/** What a tool was asked to do: its most telling argument, else all of them. */
export const toolSummary = (input: unknown): string => {
  const fields = object(input)
  for (const name of telling) {
    const value = text(fields[name])
    if (value !== null && value.trim() !== "") return brief(value)
  }
  const whole = text(input) ?? (Object.keys(fields).length === 0 ? "" : JSON.stringify(fields))
  return brief(whole)
}
