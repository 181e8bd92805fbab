/** Reasons are made here, so that each has every field. */
import { oneLine } from "../text/oneLine.js"
import type { Reason } from "./Checkpoint.js"
import type { ReasonCode } from "./state.js"

/** The reason of an end with its sentence (put on one line of at most 280 characters), and what more is known. */
export const reasonOf = (
  code: ReasonCode,
  message: string,
  more: Partial<Omit<Reason, "code" | "message">> = {}
): Reason => ({
  code,
  message: oneLine(message, 280),
  detail: null,
  resetsAt: null,
  resetsAtSource: null,
  exitCode: null,
  signal: null,
  providerText: null,
  truncated: false,
  ...more
})
