/**
 * An agent's session as run events: what its updates say, and what the end of its turn amounts to. Pure.
 *
 * The protocol has no "failed" among the reasons why a turn stopped, and agents end a turn normally after a 401 or a 429;
 * so a turn has succeeded only if it ended by itself and its last word was the model's: a text, or a tool that worked.
 */
import { type Provider, RunEvent } from "@alluka/core"
import { failure } from "../failures.js"
import { type JoinedText, join, letGo, nothingHeld, type Piece } from "../joinedText.js"
import { count, type JsonObject, list, number, object, text } from "../json.js"
import { withEntry } from "../recent.js"
import { brief, toolSummary } from "../summary.js"
import type { AcpAgent } from "./agents.js"
import { type Circumstances, classifyRefusal, classifyWords, wordsOf } from "./failures.js"
import { type Incoming, incoming, type RpcError } from "./message.js"
import { pathsOf, type ToolUse } from "./permissions.js"
import { current, type Settings, settingsOf } from "./settings.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

interface Tool {
  readonly name: string
  readonly kind: string | null
  readonly summary: string
  readonly paths: ReadonlyArray<string>
  /** Announced to the run, and not ended. */
  readonly open: boolean
  readonly ended: boolean
}

/** What was said or done last in a turn. */
type LastWord =
  | { readonly by: "nobody" }
  | { readonly by: "model" }
  | { readonly by: "tool"; readonly ok: boolean }
  | { readonly by: "refusal"; readonly tool: string }
  | { readonly by: "agent"; readonly error: string }

interface Message {
  readonly id: string | null
  readonly text: string
}

export interface Turn {
  /** `opening`: what comes now is a replay, or the agent's greeting. */
  readonly stage: "opening" | "working" | "ended"
  /** The session whose updates count; `null` until it is known. */
  readonly session: string | null
  readonly conversation: Provider.Conversation["_tag"]
  readonly settings: Settings
  /** Messages that were replayed. */
  readonly replayed: { readonly user: number; readonly agent: number; readonly key: string | null }
  /** The model's message that is being told. */
  readonly message: Message | null
  readonly answer: string
  readonly tools: ReadonlyMap<string, Tool>
  readonly last: LastWord
  /** The next text of the model begins a new turn of its own. */
  readonly fresh: boolean
  /** Tokens that were told beside pieces of messages, for agents that tell no others. */
  readonly tokens: { readonly input: number; readonly output: number } | null
  readonly costUsd: number | null
  readonly held: JoinedText
  /** When a sign of life was given, or the first came that may need one, ms. */
  readonly signAt: number
}

export const newTurn = (conversation: Provider.Conversation["_tag"], session: string | null = null): Turn => ({
  stage: "opening",
  session,
  conversation,
  settings: {},
  replayed: { user: 0, agent: 0, key: null },
  message: null,
  answer: "",
  tools: new Map(),
  last: { by: "nobody" },
  fresh: false,
  tokens: null,
  costUsd: null,
  held: nothingHeld,
  signAt: 0
})

export type Step = readonly [turn: Turn, events: ReadonlyArray<Event>]

/** What a line of stdout is: its events, and the message for whoever waits for it. */
export interface Read {
  readonly turn: Turn
  readonly events: ReadonlyArray<Event>
  /** A question or an answer of the agent. */
  readonly pass: Extract<Incoming, { readonly _tag: "Asked" | "Answered" | "Refused" }> | null
}

const excerptLength = 200

/** Reads one line at `now` (ms since 1970). Never throws, whatever the line holds. */
export const read = (agent: Pick<AcpAgent, "aside">, turn: Turn, line: string, now: number): Read => {
  if (line.trim() === "") return { turn, events: [], pass: null }
  const message = incoming(line)
  const raw = event.LineRead({ from: "stdout", text: line })
  if (message === null) {
    const [next, before] = released(turn)
    const dropped = event.LineDropped({ why: "skipped", excerpt: line.slice(0, excerptLength) })
    return { turn: next, events: [...before, raw, dropped], pass: null }
  }
  if (message._tag !== "Update") {
    const [next, before] = released(turn)
    return { turn: next, events: [...before, raw], pass: message._tag === "Notification" ? null : message }
  }
  // Sub-agents have sessions of their own; they are not this conversation's.
  if (turn.session !== null && message.session !== turn.session) {
    const [next, before] = released(turn)
    return { turn: next, events: [...before, raw], pass: null }
  }
  const { update } = message
  if (turn.stage === "opening") {
    const [next, events] = opening(turn, update, now)
    return { turn: next, events, pass: null }
  }
  const piece = pieceOf(update)
  if (piece === null) {
    const [quiet, before] = released(turn)
    const [next, events] = said(agent, quiet, update)
    return { turn: next, events: [...before, raw, ...events], pass: null }
  }
  const [held, lines] = join(turn.held, `${message.session} ${piece.kind}`, piece.text, now)
  const written = lines.map(lineOf)
  const [next, events] = said(agent, { ...turn, held }, update)
  const all = [...written, ...events]
  if (all.length > 0) return { turn: next, events: all, pass: null }
  const [signed, sign] = signOfLife(next, now)
  return { turn: signed, events: sign, pass: null }
}

/** What is only held, or counted, is a sign of life all the same; it is told once a second. */
const signOfLife = (turn: Turn, now: number): Step => {
  if (turn.signAt !== 0 && now - turn.signAt < 1000) return [turn, []]
  const sign = event.SettingsReported({ model: null, thinking: null, permission: null })
  return [{ ...turn, signAt: now }, turn.signAt === 0 ? [] : [sign]]
}

/** Pieces of text are joined in the output file, so that a secret in them stands in one line. */
const pieceOf = (update: JsonObject): { readonly kind: string; readonly text: string } | null => {
  const kind = text(update.sessionUpdate)
  const content = object(update.content)
  const words = content.type === "text" ? text(content.text) : null
  return words === null || (kind !== "agent_message_chunk" && kind !== "agent_thought_chunk")
    ? null
    : { kind, text: words }
}

/** The line that the agent would have written, had it said this much at once. */
const lineOf = ({ key, text }: Piece): Event => {
  const [sessionId, sessionUpdate] = key.split(" ")
  const update = { sessionUpdate, content: { type: "text", text } }
  return event.LineRead({
    from: "stdout",
    text: JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } })
  })
}

/** Lets go of text that is held for the output file. */
const released = (turn: Turn): Step =>
  turn.held.held === "" ? [turn, []] : [{ ...turn, held: nothingHeld }, letGo(turn.held).map(lineOf)]

// ---------------------------------------------------------------- before the prompt

/** The messages of a replay are counted; they are not new ones. */
const opening = (turn: Turn, update: JsonObject, now: number): Step => {
  const kind = text(update.sessionUpdate)
  const settings = settingsIn(update, turn.settings)
  if (settings !== null) return [{ ...turn, settings }, []]
  const [next, sign] = signOfLife(turn, now)
  const { replayed } = next
  if (kind === "user_message_chunk" || kind === "agent_message_chunk") {
    const id = text(update.messageId)
    // Without ids, pieces of the model's are taken as one message, and prompts, which come whole, as several.
    const key = id === null && kind === "user_message_chunk" ? null : `${kind} ${id ?? ""}`
    // An empty piece carries data only.
    if ((key !== null && key === replayed.key) || (text(object(update.content).text) ?? "-") === "") return [next, sign]
    const who = kind === "user_message_chunk" ? "user" : "agent"
    return [{ ...next, replayed: { ...replayed, [who]: replayed[who] + 1, key } }, sign]
  }
  // A tool between two texts makes them two messages.
  return kind === "tool_call" ? [{ ...next, replayed: { ...replayed, key: null } }, sign] : [next, sign]
}

/** What is known of the settings after an update about them; `null`: it is about something else. */
const settingsIn = (update: JsonObject, before: Settings): Settings | null => {
  switch (update.sessionUpdate) {
    case "config_option_update":
      return settingsOf(update, before)
    case "current_mode_update": {
      const mode = text(update.currentModeId)
      const permission = before.permission
      return mode === null || permission === undefined
        ? before
        : { ...before, permission: { ...permission, current: mode } }
    }
    default:
      return null
  }
}

/** The session was opened: its id and its settings. */
export const opened = (turn: Turn, session: string, answer: JsonObject): Turn => ({
  ...turn,
  session,
  settings: settingsOf(answer, turn.settings)
})

/** Reports what the session is set to. */
export const report = (settings: Settings): Event => event.SettingsReported(current(settings))

/** The prompt is on its way: what comes from now on is this run's. */
export const prompted = (turn: Turn): Step => [{ ...turn, stage: "working" }, [event.TurnStarted()]]

// ---------------------------------------------------------------- the turn

const said = (agent: Pick<AcpAgent, "aside">, turn: Turn, update: JsonObject): Step => {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return messageChunk(agent, turn, update)
    case "tool_call":
    case "tool_call_update":
      return toolCall(turn, update)
    case "usage_update": {
      const cost = object(update.cost)
      const amount = cost.currency === "USD" ? number(cost.amount) : null
      return amount === null || amount < 0 ? [turn, []] : [{ ...turn, costUsd: amount }, []]
    }
    case "notice": {
      const words = [text(update.title), text(update.description)].filter((part) => part !== null).join(": ")
      const next: Turn = update.severity === "error" ? { ...turn, last: { by: "agent", error: words } } : turn
      return [next, words === "" ? [] : [event.Notice({ text: words })]]
    }
    case "compaction_update":
      return [turn, update.status === "completed" ? [event.Compacted()] : []]
    default: {
      const settings = settingsIn(update, turn.settings)
      return settings === null ? [turn, []] : [{ ...turn, settings }, [report(settings)]]
    }
  }
}

const messageChunk = (agent: Pick<AcpAgent, "aside">, turn: Turn, update: JsonObject): Step => {
  const counted = tokensIn(turn, object(update._meta))
  const words = text(object(update.content).text) ?? ""
  if (words === "") return [counted, []]
  const id = text(update.messageId)
  switch (agent.aside(words, id)) {
    case "notice":
      return [counted, [event.Notice({ text: words.trim() })]]
    // What was said before it will be said again.
    case "retrying":
      return [{ ...counted, message: null }, [event.Retrying({ text: words.trim(), until: null })]]
    case "error": {
      const [next, events] = messageEnded(counted)
      const error = words.trim()
      return [{ ...next, last: { by: "agent", error } }, [...events, event.Notice({ text: error })]]
    }
    case null: {
      const [next, events] =
        counted.message !== null && counted.message.id !== id ? messageEnded(counted) : [counted, []]
      const before = next.message
      return [
        {
          ...next,
          message: { id, text: grown(before?.text ?? "", words) },
          last: words.trim() === "" ? next.last : { by: "model" },
          fresh: false
        },
        [...events, ...(before === null && next.fresh ? [event.TurnStarted()] : [])]
      ]
    }
  }
}

/** What is kept of one message, in characters: a stream without an end must not fill the memory. */
const mostChars = 256 * 1024

const grown = (before: string, more: string): string => (before.length > mostChars ? before : before + more)

/** qwen 0.24.4 tells the tokens of each call of the model beside an empty piece of text, and no others. */
const tokensIn = (turn: Turn, meta: JsonObject): Turn => {
  const usage = object(meta.usage)
  if (number(usage.outputTokens) === null) return turn
  return {
    ...turn,
    tokens: {
      input: (turn.tokens?.input ?? 0) + count(usage.inputTokens),
      output: (turn.tokens?.output ?? 0) + count(usage.outputTokens)
    }
  }
}

/** The model's message is whole. */
const messageEnded = (turn: Turn): Step => {
  const { message } = turn
  if (message === null) return [turn, []]
  const next = { ...turn, message: null }
  return message.text.trim() === ""
    ? [next, []]
    : [{ ...next, answer: message.text }, [event.Message({ role: "assistant", id: message.id, text: message.text })]]
}

const toolCall = (turn: Turn, update: JsonObject): Step => {
  const id = text(update.toolCallId)
  if (id === null) return [turn, []]
  const [quiet, before] = messageEnded(turn)
  const known = quiet.tools.get(id)
  const tool = merged(known, update)
  const status = text(update.status)
  const ends = (status === "completed" || status === "failed") && known?.ended !== true
  // A call is announced before its arguments are there: it begins with the next word about it.
  const begins = known?.open !== true && known?.ended !== true && (known !== undefined || ends || hasInput(update))
  const events: Array<Event> = [...before]
  if (begins) events.push(event.ToolStarted({ id, name: tool.name, summary: tool.summary }))
  const ok = status === "completed"
  if (ends) events.push(event.ToolFinished({ id, ok, summary: outcomeOf(update) }))
  const tools = withEntry(quiet.tools, id, {
    ...tool,
    open: (known?.open === true || begins) && !ends,
    ended: known?.ended === true || ends
  })
  // A refused call fails too; that it was refused says more.
  const last: LastWord = !ends || (quiet.last.by === "refusal" && !ok) ? quiet.last : { by: "tool", ok }
  return [{ ...quiet, tools, last, fresh: quiet.fresh || ends }, events]
}

const hasInput = (update: JsonObject): boolean =>
  Object.keys(object(update.rawInput)).length > 0 || text(update.status) === "in_progress"

const merged = (known: Tool | undefined, call: JsonObject): Tool => {
  const summary = toolSummary(call.rawInput)
  const title = text(call.title)
  const paths = pathsOf(call)
  const name = text(call.name) ?? text(object(call._meta).toolName)
  return {
    name: name ?? known?.name ?? text(call.kind) ?? "tool",
    kind: text(call.kind) ?? known?.kind ?? null,
    summary: summary !== "" ? summary : title !== null ? brief(title) : (known?.summary ?? ""),
    paths: paths.length > 0 ? paths : (known?.paths ?? []),
    open: known?.open ?? false,
    ended: known?.ended ?? false
  }
}

/** What a tool gave back, in a line. */
const outcomeOf = (update: JsonObject): string => {
  const shown = list(update.content)
    .map((block) => text(object(object(block).content).text) ?? "")
    .join("\n")
  const output = object(update.rawOutput)
  return brief(
    shown.trim() !== "" ? shown : (text(update.rawOutput) ?? text(output.message) ?? text(output.content) ?? "")
  )
}

// ---------------------------------------------------------------- permission

/** What is known of the tool use that a question is about; the question tells more of it than was told before. */
export const asked = (turn: Turn, params: JsonObject): readonly [turn: Turn, use: ToolUse & Named] => {
  const call = object(params.toolCall)
  const id = text(call.toolCallId)
  const use = merged(turn.tools.get(id ?? ""), call)
  return [id === null ? turn : { ...turn, tools: withEntry(turn.tools, id, use) }, use]
}

interface Named {
  readonly name: string
  readonly summary: string
}

/** A tool use was refused by the run's permission. */
export const refused = (turn: Turn, use: Named): Step => [
  { ...turn, last: { by: "refusal", tool: use.name } },
  [event.Denied({ tool: use.name, detail: use.summary })]
]

// ---------------------------------------------------------------- the end

/** The turn ended with an answer: what it amounts to. `title`: the agent's name, for people. */
export const ended = (turn: Turn, answer: JsonObject, title: string): Step => {
  const [flushed, written] = released(turn)
  const [quiet, message] = messageEnded(flushed)
  const usage = usageOf(quiet, answer)
  const verdict = verdictOf(quiet, answer, title)
  return [{ ...quiet, stage: "ended" }, [...written, ...message, ...usage, ...verdict]]
}

const verdictOf = (turn: Turn, answer: JsonObject, title: string): ReadonlyArray<Event> => {
  const failed = (...args: Parameters<typeof failure>): ReadonlyArray<Event> => [
    event.Failed({ failure: failure(...args) })
  ]
  const { last } = turn
  switch (answer.stopReason) {
    case "end_turn": {
      if (last.by === "agent") return [event.Failed({ failure: classifyWords(last.error) })]
      if (last.by === "refusal") {
        return failed(
          "provider_error",
          `${title} gave up when the use of ${last.tool} was refused by the run's permission; allow more with --permission, or ask for less`
        )
      }
      // Agents that count tokens count none where the model gave no answer.
      const silent = answerIsEmpty(answer)
      const done = last.by === "model" || (last.by === "tool" && last.ok)
      if (done && silent) return [event.Failed({ failure: classifyWords(turn.answer) })]
      return done ? [event.Succeeded({ text: turn.answer })] : []
    }
    case "max_tokens":
      return failed("provider_error", "the answer was cut at the model's limit of output tokens")
    case "max_turn_requests":
      return failed("turn_limit", "the agent's limit of model requests in one turn was reached")
    case "refusal":
      return failed("provider_error", "the model refused to go on")
    case "cancelled":
      return failed("provider_error", `${title} says that the turn was cancelled`)
    default:
      return failed(
        "provider_error",
        `${title} ended the turn for a reason that is not known: ${brief(String(answer.stopReason))}`
      )
  }
}

const answerIsEmpty = (answer: JsonObject): boolean => number(object(answer.usage).outputTokens) === 0

/**
 * Tokens of this turn, which is the whole run. Whether `inputTokens` holds those of the cache differs by agent; the total
 * always does. The cost is the conversation's so far: claude-agent-acp 0.101.0 counts it on over a resume, and anew for a
 * copy.
 */
const usageOf = (turn: Turn, answer: JsonObject): ReadonlyArray<Event> => {
  const usage = object(answer.usage)
  const output = number(usage.outputTokens)
  const tokens =
    output === null
      ? turn.tokens
      : {
          input: Math.max(
            count(usage.inputTokens),
            number(usage.totalTokens) === null
              ? count(usage.inputTokens) + count(usage.cachedReadTokens) + count(usage.cachedWriteTokens)
              : count(usage.totalTokens) - count(output)
          ),
          output: count(output)
        }
  const { costUsd } = turn
  if (costUsd === null && (tokens === null || tokens.output === 0)) return []
  return [
    event.UsageReported({
      usage: {
        inputTokens: tokens?.input ?? 0,
        outputTokens: tokens?.output ?? 0,
        costUsd: turn.conversation === "Continue" ? null : costUsd
      },
      cumulative: false,
      ...(costUsd === null ? {} : { sessionCostUsd: costUsd })
    })
  ]
}

/** The prompt was answered with an error. What the agent had said about it before is not said twice. */
export const failedTurn = (turn: Turn, error: RpcError, circumstances: Circumstances): Step => {
  const [quiet, written] = released(turn)
  const words = quiet.message?.text.trim() ?? ""
  const repeated = words !== "" && wordsOf(error).includes(words)
  const [next, message] = messageEnded(repeated ? { ...quiet, message: null } : quiet)
  const usage = usageOf(next, {})
  const failed = event.Failed({ failure: classifyRefusal(error, circumstances) })
  return [{ ...next, stage: "ended" }, [...written, ...message, ...usage, failed]]
}

/** Nothing more will come: what was begun is told as far as it came. */
export const cut = (turn: Turn): Step => {
  const [quiet, written] = released(turn)
  const [next, message] = messageEnded(quiet)
  return [{ ...next, stage: "ended" }, [...written, ...message]]
}
