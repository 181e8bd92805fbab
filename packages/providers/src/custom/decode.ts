/** The lines of a configured program as run events. Pure. */
import { type Failure, type Provider, RunEvent } from "@alluka/core"
import { type Decoder, jsonLine, type Step } from "../decoder.js"
import { codeOfStatus, type FailureCode, failure, matching, networkWords } from "../failures.js"
import { type JsonObject, text } from "../json.js"
import type { CommandConfig, Found } from "./config.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

export interface State {
  /** The session's id was told. */
  readonly named: boolean
  /** What was printed, or said last. */
  readonly answer: string
  readonly ended: boolean
}

/** What is kept of a text, in characters. */
const mostChars = 256 * 1024

/** The value at a path such as `a.b.0`; `undefined`: there is none. */
export const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, key) => {
    if (typeof inner !== "object" || inner === null) return undefined
    return Object.hasOwn(inner, key) ? (inner as Readonly<Record<string, unknown>>)[key] : undefined
  }, value)

const applies = (json: JsonObject, when: Found["when"]): boolean =>
  Object.entries(when).every(([path, wanted]) => at(json, path) === wanted)

/** The text that an object holds at a declared place; numbers are taken as text too. */
const found = (json: JsonObject, place: Found | undefined): string | null => {
  if (place === undefined || !applies(json, place.when)) return null
  const value = at(json, place.path)
  return text(value) ?? (typeof value === "number" ? String(value) : null)
}

/** Ids of the declared form; whatever the form, none that is empty, looks like an option or holds control characters. */
export const isIdOf = (session: CommandConfig["session"]): ((id: string) => boolean) => {
  if (session === undefined) return () => false
  const form = new RegExp(`^(?:${session.pattern})$`)
  return (id) => id.length > 0 && id.length <= 256 && !/^-|\p{Cc}/u.test(id) && form.test(id)
}

/** The decoder of one start. */
export const decoder = (config: CommandConfig, request: Provider.StartRequest): Decoder<State> => {
  const { output, session } = config
  const isId = isIdOf(session)
  const { conversation } = request
  const reopens = conversation._tag !== "New"
  const asked = conversation._tag === "Fork" ? null : conversation.id
  const classified = classifier(config, reopens)

  /** A program that is told the id need not repeat it: that it works is all the sign there is. */
  const confirmed = (state: State): Step<State> =>
    state.named || asked === null
      ? [state, []]
      : [{ ...state, named: true }, [event.SessionNamed({ id: asked, location: null, confirms: true })]]

  const row = (state: State, json: JsonObject): Step<State> => {
    if (output.format !== "json") return [state, []]
    const events: Array<Event> = []
    let next = state
    const id = found(json, output.session)
    if (id !== null && !next.named) {
      if (isId(id)) {
        next = { ...next, named: true }
        events.push(event.SessionNamed({ id, location: null, confirms: true }))
      } else events.push(event.Notice({ text: "the program named a session that is not of the declared form" }))
    }
    const model = found(json, output.model)
    if (model !== null) events.push(event.SettingsReported({ model, thinking: null, permission: null }))

    const error = found(json, output.error)
    if (error !== null) return [{ ...next, ended: true }, [...events, event.Failed({ failure: classified(error) })]]

    const said = found(json, output.message)
    if (said !== null && said.trim() !== "") {
      const [confirming, sign] = output.session === undefined ? confirmed(next) : ([next, []] as const)
      next = { ...confirming, answer: said }
      events.push(...sign, event.Message({ role: "assistant", id: null, text: said }))
    }
    if (!next.ended && applies(json, output.end.when)) {
      const [confirming, sign] = output.session === undefined ? confirmed(next) : ([next, []] as const)
      const words = output.end.path === undefined ? null : text(at(json, output.end.path))
      next = { ...confirming, ended: true }
      events.push(...sign, event.Succeeded({ text: words ?? next.answer }))
    }
    return [next, events]
  }

  return {
    initial: { named: false, answer: "", ended: false },
    line:
      output.format === "json"
        ? jsonLine(row)
        : (state, line) => [
            state.answer.length > mostChars
              ? state
              : { ...state, answer: state.answer === "" ? line : `${state.answer}\n${line}` },
            []
          ],
    end: (state, { exit, stderrTail }) => {
      if (state.ended) return []
      const printed = state.answer.trim()
      const recognised = classified.known(stderrTail) ?? (output.format === "text" ? classified.known(printed) : null)
      if (output.format === "json") {
        return recognised === null || exit.code === 0 ? [] : [event.Failed({ failure: recognised })]
      }
      const message = printed === "" ? [] : [event.Message({ role: "assistant" as const, id: null, text: printed })]
      if (recognised !== null) return [...message, event.Failed({ failure: recognised })]
      if (exit.code !== 0 || printed === "") return message
      return [...confirmed(state)[1], ...message, event.Succeeded({ text: printed })]
    }
  }
}

interface Classifier {
  (said: string): Failure.ProviderFailure
  /** `null`: none of the declared answers, and no word that every program uses. */
  readonly known: (said: string) => Failure.ProviderFailure | null
}

const classifier = ({ answers }: CommandConfig, reopens: boolean): Classifier => {
  const declared: ReadonlyArray<readonly [ReadonlyArray<string>, FailureCode, Failure.ProviderFailure["lostSession"]]> =
    [
      // Only a conversation that was asked for can be missing.
      [reopens ? answers.noSuchSession : [], "provider_session_missing", "no_such_session"],
      [reopens ? answers.invalidSession : [], "provider_session_missing", "invalid_session"],
      [answers.usageLimit, "usage_limit", null],
      [answers.auth, "auth_required", null],
      [answers.model, "model_unavailable", null]
    ]
  const compiled = declared.map(
    ([sources, code, lostSession]) => [sources.map((source) => new RegExp(source, "im")), code, lostSession] as const
  )
  const known = (said: string): Failure.ProviderFailure | null => {
    for (const [patterns, code, lostSession] of compiled) {
      if (patterns.some((each) => each.test(said))) return failure(code, said.trim(), { lostSession })
    }
    return matching([networkWords], said) === null ? null : failure("network_lost", said.trim())
  }
  const classify = (said: string): Failure.ProviderFailure => {
    const status = /\b(?:HTTP|status)(?: code)?:? ?([45]\d\d)\b/i.exec(said)?.[1]
    const code = codeOfStatus(status === undefined ? null : Number(status))
    return known(said) ?? failure(code ?? "provider_error", said.trim())
  }
  return Object.assign(classify, { known })
}
