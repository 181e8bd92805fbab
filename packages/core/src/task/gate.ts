/**
 * What a gate's result means: an excerpt for the agent and the record, whether a failure is the same as before, and
 * whether the agent is to try again. Pure.
 */
import { type GateCommand, gateLine } from "../checkpoint/GateCommand.js"
import { terminalText } from "../privacy/terminalText.js"
import { bounded } from "../text/bounded.js"
import { duration } from "../text/duration.js"
import type { GateRun } from "./GatePort.js"

/** The same failure so many times in a row ends the attempts early. */
export const sameFailures = 3
/** So many failures in all end them. */
export const allFailures = 10

/** Lines of the beginning, and of the end, that an excerpt has at most. */
const excerptLines = 50
/** Size of an excerpt for the agent, and of one that is stored, in bytes. */
const agentBytes = 16 * 1024
export const storedBytes = 4096

export interface GateResult {
  readonly ok: boolean
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  readonly elapsedMs: number
  /** What it printed, redacted and without control sequences: the beginning and the end of it. */
  readonly excerpt: string
  /** Tells failures apart: the same for the same failure, whatever the times and numbers in it were. */
  readonly signature: string
}

/** Reads what a gate's command did. */
export const resultOf = (run: GateRun, redact: (text: string) => string): GateResult => {
  const clean = (text: string): string => terminalText(redact(text)).replace(/\s+$/u, "")
  const excerpt = excerptOf(clean(run.head), clean(run.tail), run.omittedBytes)
  const how = run.timedOut ? "timed out" : `${run.signal ?? run.exitCode}`
  return {
    ok: run.exitCode === 0 && !run.timedOut,
    exitCode: run.exitCode,
    signal: run.signal,
    timedOut: run.timedOut,
    elapsedMs: run.elapsedMs,
    excerpt,
    signature: fingerprint(`${how}\n${withoutNumbers(excerpt)}`)
  }
}

const excerptOf = (head: string, tail: string, omittedBytes: number): string => {
  const lines = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split("\n"))
  if (omittedBytes === 0) {
    const all = lines(head)
    return fit(all.slice(0, excerptLines), all.slice(Math.max(excerptLines, all.length - excerptLines)), all.length)
  }
  return fit(lines(head).slice(0, excerptLines), lines(tail).slice(-excerptLines), null)
}

/** The two ends around a note of what is left out; the end, where failures are told, is given three quarters of the room. */
const fit = (first: ReadonlyArray<string>, last: ReadonlyArray<string>, lines: number | null): string => {
  const whole = lines !== null && lines === first.length + last.length
  const both = [...first, ...last].join("\n")
  if (whole && utf8AtMost(both, agentBytes)) return both
  const left = lines === null || whole ? "" : `${lines - first.length - last.length} `
  const tail = lastThatFit(last.length > 0 ? last : first, (agentBytes * 3) / 4)
  const head = last.length > 0 ? bounded(first.join("\n"), agentBytes / 4).text : ""
  return [...(head === "" ? [] : [head]), `[... ${left}lines left out ...]`, tail].join("\n")
}

const utf8AtMost = (text: string, bytes: number): boolean => !bounded(text, bytes).truncated

/** The last lines that fit; of a line that alone does not fit, its beginning. */
const lastThatFit = (lines: ReadonlyArray<string>, bytes: number): string => {
  for (let from = 0; from < lines.length; from++) {
    const text = lines.slice(from).join("\n")
    if (utf8AtMost(text, bytes)) return text
  }
  return bounded(lines.at(-1) ?? "", bytes).text
}

/** The excerpt as it is stored: its end, which says most. */
export const storedExcerpt = (excerpt: string): { readonly text: string; readonly truncated: boolean } =>
  utf8AtMost(excerpt, storedBytes)
    ? { text: excerpt, truncated: false }
    : { text: lastThatFit(excerpt.split("\n"), storedBytes), truncated: true }

/** Times, counts, addresses and temporary names change from run to run of the same failure. */
const withoutNumbers = (text: string): string =>
  text
    .replace(/0x[0-9a-f]+/giu, "0")
    .replace(/\b[0-9a-f]{7,64}\b/giu, "0")
    .replace(/\d+(?:[.,:]\d+)*/gu, "0")
    .replace(/0 ?(?:ms|s|sec|secs|seconds|m|min)\b/gu, "0")
    .replace(/\s+/gu, " ")

/** 53 bits of a text as hexadecimal: enough to tell one failure from the few others of a run. */
const fingerprint = (text: string): string => {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, "0")
}

export type Verdict = "passed" | "fix" | "same_failure" | "limit"

/** `failures`: signatures of the gate's failures since it last passed, oldest first, without this one. */
export const judge = (failures: ReadonlyArray<string>, result: Pick<GateResult, "ok" | "signature">): Verdict => {
  if (result.ok) return "passed"
  const last = failures.slice(-(sameFailures - 1))
  if (last.length === sameFailures - 1 && last.every((signature) => signature === result.signature)) {
    return "same_failure"
  }
  return failures.length + 1 >= allFailures ? "limit" : "fix"
}

/** What happened, in a few words: `exit code 1`. */
export const howItFailed = (result: Pick<GateResult, "exitCode" | "signal" | "timedOut" | "elapsedMs">): string =>
  result.timedOut
    ? `it took longer than ${duration(result.elapsedMs)}`
    : result.signal === null
      ? `exit code ${result.exitCode}`
      : `killed by ${result.signal}`

/** The order to fix it, for the conversation that caused it. `more`: what a person adds. */
export const fixMessage = (
  command: GateCommand,
  result: Pick<GateResult, "exitCode" | "signal" | "timedOut" | "elapsedMs" | "excerpt">,
  failures: number,
  more: string | null = null
): string =>
  [
    `The check of your work failed (${howItFailed(result)}), for the ${ordinal(failures)} time: ${gateLine(command)}`,
    "",
    ...(result.excerpt === "" ? ["It printed nothing."] : ["What it printed:", "", result.excerpt]),
    "",
    "Find the cause and fix it. The check must pass before this task is done. Do not weaken, skip or bypass the check.",
    ...(more === null ? [] : ["", more])
  ].join("\n")

const ordinal = (n: number): string => (n === 1 ? "first" : n === 2 ? "second" : n === 3 ? "third" : `${n}th`)
