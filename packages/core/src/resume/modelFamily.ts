/**
 * Whether two models are of one family, where the provider rewrites the history between families. Observed on codex
 * 0.171.0: gpt-6-luna to gpt-6-sol keeps it, gpt-6-sol to gpt-5.5 replaces it by a summary. Of names of another form
 * nothing is known.
 */
export const familyChange = (from: string, to: string): "same" | "other" | "unknown" => {
  if (from === to) return "same"
  const before = family(from)
  const after = family(to)
  if (before === null || after === null) return "unknown"
  return before === after ? "same" : "other"
}

const family = (model: string): string | null =>
  /^(?:.*\/)?(gpt-\d+(?:\.\d+)?)(?![.\d])/i.exec(model)?.[1]?.toLowerCase() ?? null
