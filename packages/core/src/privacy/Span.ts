/** A secret found in a text: UTF-16 positions, and what it will be called. */
export interface Span {
  readonly start: number
  readonly end: number
  /** The word in `[redacted:WORD]`. */
  readonly label: string
}

/** What stands in the place of a secret. */
export const replacement = (label: string): string => `[redacted:${label}]`

const whole = /^\[redacted:[A-Za-z0-9_.-]{1,80}\]$/

/** Whether a text is such a replacement and nothing else. */
export const isReplacement = (text: string): boolean => whole.test(text)
