/** TEMPORARY-PLACEHOLDER until the real reader lands. */
export const resetTime = (_text: string, _now: number, _zone: string): { readonly at: number; readonly source: "text" } | null => null
