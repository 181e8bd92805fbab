/**
 * The filter: `s:failed p:codex checkout !docs`. Words must all be found; keys narrow; `!` excludes; a key that is given
 * twice means either. What is not understood is shown as such and ignored, so a typo never hides anything.
 */
import type { ListQuery } from "./query.js"
import { isSilent, phaseOf, type Run } from "./Run.js"

export const filterKeys = {
  s: "state",
  a: "agent",
  p: "provider",
  m: "model",
  is: "resumable, running, silent, dismissed",
  since: "2h, 3d",
  d: "folder",
  l: "label"
} as const
export type FilterKey = keyof typeof filterKeys

export type Token =
  | { readonly kind: "word"; readonly raw: string; readonly negated: boolean; readonly word: string }
  | {
      readonly kind: "key"
      readonly raw: string
      readonly negated: boolean
      readonly key: FilterKey
      readonly values: ReadonlyArray<string>
    }
  /** An unknown key, or a value that its key cannot have. */
  | { readonly kind: "ignored"; readonly raw: string; readonly why: string }

export type Filter = ReadonlyArray<Token>

const isKey = (text: string): text is FilterKey => Object.hasOwn(filterKeys, text)

const states = ["running", "completed", "interrupted", "failed", "cancelled"] as const

const durationMs = (text: string): number | null => {
  const found = /^(\d{1,6})(s|m|h|d|w)$/.exec(text)
  if (found === null) return null
  const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }[found[2] ?? ""]
  return unit === undefined ? null : Number(found[1]) * unit
}

const kinds = ["resumable", "running", "silent", "dismissed"]

/** The tokens of a filter's text; a double quote keeps spaces together. */
export const parseFilter = (text: string): Filter =>
  Array.from(text.matchAll(/!?(?:[^\s":]+:)?(?:"[^"]*"?|[^\s"]+)|!/gu), ([raw]) => tokenOf(raw)).filter(
    (token) => token.kind !== "word" || token.word !== ""
  )

const tokenOf = (raw: string): Token => {
  const negated = raw.startsWith("!")
  const body = negated ? raw.slice(1) : raw
  const colon = body.indexOf(":")
  const name = colon > 0 && !body.startsWith('"') ? body.slice(0, colon).toLowerCase() : null
  if (name === null || !/^[a-z]+$/.test(name)) {
    return { kind: "word", raw, negated, word: body.replaceAll('"', "").toLowerCase() }
  }
  if (!isKey(name)) return { kind: "ignored", raw, why: `no key ${name}:` }
  const values = body
    .slice(colon + 1)
    .replaceAll('"', "")
    .toLowerCase()
    .split(",")
    .filter((value) => value !== "")
  if (values.length === 0) return { kind: "ignored", raw, why: `${name}: needs a value` }
  const allowed = name === "s" ? states : name === "is" ? kinds : null
  if (allowed !== null && values.some((value) => !allowed.some((one) => one.startsWith(value)))) {
    return { kind: "ignored", raw, why: `${name}: is one of ${allowed.join(", ")}` }
  }
  if (name === "since" && values.some((value) => durationMs(value) === null)) {
    return { kind: "ignored", raw, why: "since: is a time such as 2h or 3d" }
  }
  return { kind: "key", raw, negated, key: name, values }
}

/** Whether nothing is filtered. */
export const isEmptyFilter = (filter: Filter): boolean => filter.every(({ kind }) => kind === "ignored")

const haystacks = new WeakMap<Run, string>()

/** Everything of a run that words are looked for in, lower case. */
const haystack = (run: Run): string => {
  const known = haystacks.get(run)
  if (known !== undefined) return known
  const built = searched(run)
  haystacks.set(run, built)
  return built
}

const searched = ({ checkpoint, folder }: Run): string =>
  [
    checkpoint.title,
    checkpoint.id,
    checkpoint.agent,
    checkpoint.spec.prompt,
    checkpoint.spec.instruction ?? "",
    checkpoint.reason?.message ?? "",
    checkpoint.reason?.code ?? "",
    checkpoint.taskId ?? "",
    ...checkpoint.progress.phases.flatMap(({ provider, model, providerSession }) => [
      provider,
      model.requested ?? "",
      model.actual ?? "",
      providerSession?.id ?? ""
    ]),
    folder
  ]
    .join("\n")
    .toLowerCase()

const fits = (run: Run, token: Extract<Token, { readonly kind: "key" }>, now: number): boolean => {
  const { checkpoint } = run
  const phase = phaseOf(run)
  const any = (text: string): boolean => token.values.some((value) => text.toLowerCase().includes(value))
  switch (token.key) {
    case "s":
      return token.values.some((value) => checkpoint.state.startsWith(value))
    case "a":
      return any(checkpoint.agent)
    case "p":
      return any(phase.provider)
    case "m":
      return any(phase.model.requested ?? "") || any(phase.model.actual ?? "")
    case "d":
      return any(run.folder)
    case "l":
      return Object.entries(checkpoint.labels).some(([name, value]) => any(`${name}=${value}`))
    case "since":
      return token.values.some((value) => now - checkpoint.startedAt <= (durationMs(value) ?? 0))
    case "is":
      return token.values.some((value) => isKind(run, value, now))
  }
}

const isKind = ({ checkpoint, decision }: Run, value: string, now: number): boolean => {
  if ("resumable".startsWith(value)) {
    return (
      checkpoint.resumedBy === null &&
      checkpoint.state !== "running" &&
      checkpoint.state !== "completed" &&
      (decision === null || decision.status !== "refusing_to_resume" || decision.requires.length > 0)
    )
  }
  if ("running".startsWith(value)) return checkpoint.state === "running"
  if ("silent".startsWith(value)) return isSilent(checkpoint, now)
  return checkpoint.dismissedAt !== null
}

/** Whether a run is shown. */
export const matches = (filter: Filter, run: Run, now: number): boolean => {
  const text = filter.some(({ kind }) => kind === "word") ? haystack(run) : ""
  const asked = new Map<FilterKey, boolean>()
  for (const token of filter) {
    if (token.kind === "ignored") continue
    if (token.kind === "word") {
      if (text.includes(token.word) === token.negated) return false
      continue
    }
    const fit = fits(run, token, now)
    if (token.negated && fit) return false
    if (!token.negated) asked.set(token.key, fit || asked.get(token.key) === true)
  }
  return [...asked.values()].every(Boolean)
}

/** What of the filter the store itself can narrow by, so that fewer rows are read; `matches` still decides. */
export const narrowing = (filter: Filter, now: number): Pick<ListQuery, "since"> => {
  const since = filter.flatMap((token) =>
    token.kind === "key" && token.key === "since" && !token.negated
      ? token.values.map((value) => durationMs(value) ?? 0)
      : []
  )
  return { since: since.length === 0 ? null : now - Math.max(...since) }
}
