/**
 * Replaces secrets in text: values of this environment's credentials, keys and tokens known by their form, private keys,
 * and what stands beside a telling name. One pure, synchronous function; everything that is stored or printed goes through
 * it.
 *
 * Time grows with the length of the text: every pattern is either bounded or open only at its end. A long text is read in
 * windows that overlap.
 */
import type { KnownSecret } from "./environmentSecrets.js"
import { findKeyed } from "./keyedSecrets.js"
import { findPrivateKeys, privateKeyLabel } from "./privateKeys.js"
import { hasHidden, hasStrings, readerView } from "./readerView.js"
import { replacement, type Span } from "./Span.js"
import { escapeForRegExp, findTokens, tokenLabels } from "./tokenPatterns.js"

/** Characters looked at in one go. */
const windowLength = 64 * 1024
/** How far a window reaches back: longer than any pattern needs to be recognised. */
const overlap = 4 * 1024
/** Left context of a window: a match there was made without seeing what comes before, and was seen by the window before. */
const context = 64

/**
 * The redacting function for a set of known values (`environmentSecrets`). In: any text. Out: the text with each secret
 * replaced by `[redacted:WHAT]`; the same text if there was none. Never throws; redacting twice changes nothing more.
 */
export const makeRedact = (known: ReadonlyArray<KnownSecret> = []): ((text: string) => string) => {
  const values = compile(known)
  return (text) => {
    let result = text
    // What stood beside a secret can itself be one once the secret is gone; two rounds are the rule.
    for (let round = 0; round < maxRounds; round++) {
      const next = replaced(result, spansOf(result, values))
      if (next === result) break
      result = next
    }
    return result
  }
}

const maxRounds = 8

interface KnownSecrets {
  readonly pattern: RegExp | null
  readonly byValue: ReadonlyMap<string, KnownSecret>
  /** How far a window reaches back, in characters. */
  readonly reach: number
}

/** The values as one pattern: the longest first, so that a value within another does not hide it. */
const compile = (known: ReadonlyArray<KnownSecret>): KnownSecrets => {
  const sorted = [...known].sort((a, b) => b.value.length - a.value.length)
  return {
    pattern: sorted.length === 0 ? null : new RegExp(sorted.map(({ value }) => escapeForRegExp(value)).join("|"), "g"),
    byValue: new Map(sorted.map((secret) => [secret.value, secret])),
    reach: Math.max(overlap, 2 * (sorted[0]?.value.length ?? 0))
  }
}

/** Every secret of a text, as plain text and as its reader would see it. */
const spansOf = (text: string, known: KnownSecrets): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  findWindowed(text, known, found)
  if (!hasHidden(text)) return found
  for (const strings of hasStrings(text) ? (["hidden", "shown"] as const) : (["hidden"] as const)) {
    const view = readerView(text, strings)
    const seen: Array<Span> = []
    findWindowed(view.text, known, seen)
    for (const { start, end, label } of seen) {
      found.push({ start: view.original(start), end: view.original(end - 1) + 1, label })
    }
  }
  return found
}

const findWindowed = (text: string, known: KnownSecrets, found: Array<Span>): void => {
  const { reach } = known
  let start = 0
  let length = windowLength + reach
  while (start < text.length) {
    const end = Math.min(text.length, start + length)
    const spans: Array<Span> = []
    findAll(start === 0 && end === text.length ? text : text.slice(start, end), known, spans)
    let next = end - reach
    for (const span of spans) {
      const absolute = { start: start + span.start, end: start + span.end, label: span.label }
      if (start > 0 && span.start < context && span.end < context) continue
      found.push(absolute)
      // It may go on after the window: the next one begins with it.
      if (absolute.end === end) next = Math.min(next, absolute.start - context)
    }
    if (end === text.length) return
    if (next <= start) length *= 2
    else {
      start = next
      length = windowLength + reach
    }
  }
}

const findAll = (text: string, known: KnownSecrets, found: Array<Span>): void => {
  findKnown(text, known, found)
  findPrivateKeys(text, found)
  findTokens(text, found)
  findKeyed(text, found)
}

const findKnown = (text: string, known: KnownSecrets, found: Array<Span>): void => {
  if (known.pattern === null) return
  known.pattern.lastIndex = 0
  for (let hit = known.pattern.exec(text); hit !== null; hit = known.pattern.exec(text)) {
    const secret = known.byValue.get(hit[0])
    if (secret === undefined) continue
    const end = hit.index + hit[0].length
    if (secret.word && (isWordAt(text, hit.index - 1) || isWordAt(text, end))) known.pattern.lastIndex = hit.index + 1
    else found.push({ start: hit.index, end, label: secret.label })
  }
}

const isWordAt = (text: string, index: number): boolean => /\w/.test(text.charAt(index))

const rankOf = new Map<string, number>([[privateKeyLabel, 0], ...tokenLabels.map((label) => [label, 1] as const)])
/** The word for overlapping finds: the most telling one. Names of variables come after forms, surroundings last. */
const rank = (label: string): number => rankOf.get(label) ?? (/[A-Z]/.test(label) ? 2 : 3)

const replaced = (text: string, found: ReadonlyArray<Span>): string => {
  if (found.length === 0) return text
  const sorted = [...found].sort((a, b) => a.start - b.start || b.end - a.end)
  let out = ""
  let kept = 0
  let index = 0
  while (index < sorted.length) {
    const first = sorted[index]
    if (first === undefined) break
    let { end, label } = first
    for (index++; index < sorted.length; index++) {
      const next = sorted[index]
      if (next === undefined || next.start >= end) break
      end = Math.max(end, next.end)
      if (rank(next.label) < rank(label)) label = next.label
    }
    // An escape of JSON or code goes as a whole, or what is left would not be JSON.
    const start = isEscaped(text, first.start) ? first.start - 1 : first.start
    out += text.slice(kept, Math.max(kept, start)) + replacement(label)
    kept = isEscaped(text, end) ? end + 1 : end
  }
  return out + text.slice(kept)
}

/** Whether an odd number of backslashes stands right before the index. */
const isEscaped = (text: string, index: number): boolean => {
  let start = index
  while (start > 0 && text.charCodeAt(start - 1) === 0x5c) start--
  return (index - start) % 2 === 1
}
