/**
 * pi's lines without what repeats earlier ones. 0.73.1 tells the whole growing answer twice in every `message_update`, and
 * both tell all messages again in `agent_end`: written down as they are, an answer of some pages would fill the output file
 * many times over.
 */

/** From where the rest of such a line repeats what was said, and how the line is ended there. */
const repeating: ReadonlyArray<readonly [start: string, from: string, end: string]> = [
  ['{"type":"message_update"', ',"partial":', "}}"],
  ['{"type":"tool_execution_update"', ',"partialResult":', "}"],
  ['{"type":"turn_end"', ',"message":', "}"],
  ['{"type":"agent_end"', ',"messages":', "}"]
]

/** The line, or the part of it that is new. Inside of a JSON text the marks cannot occur: their quotes would be escaped. */
export const abridge = (line: string): string => {
  const rule = repeating.find(([start]) => line.startsWith(start))
  if (rule === undefined) return line
  const [, from, end] = rule
  const at = line.indexOf(from)
  return at === -1 ? line : line.slice(0, at) + end
}
