/** Redaction of a command's arguments, where a flag and its value are two texts. */

/**
 * The arguments with every secret replaced, each by itself and as a line: the value after `--api-key` is a secret
 * whatever its form. As many come out as go in.
 */
export const redactArguments = (
  args: ReadonlyArray<string>,
  redact: (text: string) => string
): ReadonlyArray<string> => {
  const together = parsed(redact(JSON.stringify(args)))
  return (together !== null && together.length === args.length ? together : args).map(redact)
}

/** A list of texts from JSON; `null` if it is none any more. */
const parsed = (json: string): ReadonlyArray<string> | null => {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) && value.every((each): each is string => typeof each === "string") ? value : null
  } catch {
    return null
  }
}
