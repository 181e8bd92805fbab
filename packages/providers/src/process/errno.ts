/** What the system said when a call failed. */

/** The code of a system error, such as `ENOENT`; `null`: it is none. */
export const codeOf = (cause: unknown): string | null =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : null

/** Whether a file or program was not there. */
export const isMissing = (cause: unknown): boolean => codeOf(cause) === "ENOENT"
