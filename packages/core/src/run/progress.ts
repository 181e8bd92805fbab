/**
 * Folds what a provider says into the checkpoint's progress and its timeline. Pure: `Runs` feeds it and commits what
 * comes out. Every text is redacted and bounded here, so nothing that a provider says reaches the store another way.
 */
import type { Phase, Progress, ProviderExit, ProviderSession, Time, Usage } from "../checkpoint/Checkpoint.js"
import { currentPhase, phaseNumber } from "../checkpoint/Checkpoint.js"
import type { EventKind, NewEvent, Payload } from "../checkpoint/Event.js"
import { isoOrNull } from "../contract/json.js"
import type { ProviderFailure } from "../provider/failure.js"
import type { RunEvent } from "../provider/RunEvent.js"
import { bounded } from "../text/bounded.js"
import { oneLine } from "../text/oneLine.js"
import * as OpenTools from "./openTools.js"
import { sameModel } from "./sameModel.js"

/** The state of one invocation of a provider as its stream is read: a run has one, or several that follow each other. */
export interface Folding {
  readonly progress: Progress
  /** What the earlier invocations of this run used. */
  readonly usageEarlier: Usage
  /** Provider session totals before this run, subtracted from cumulative figures. */
  readonly usageBefore: Usage | null
  /** The id that the first event must carry, where we asked for a certain conversation. */
  readonly expectedSession: string | null
  readonly tools: OpenTools.OpenTools
  readonly confirmed: boolean
  /** The last that the agent said, redacted: for a phase that builds on it. */
  readonly answer: string
  readonly mismatch: { readonly expected: string; readonly got: string } | null
  readonly succeeded: boolean
  readonly failure: ProviderFailure | null
  readonly exit: ProviderExit | null
  readonly stderr: string
}

/** What one event asks of the committer besides the new state. */
export interface Folded {
  readonly state: Folding
  readonly events: ReadonlyArray<NewEvent>
  /**
   * `lazy`: may wait for company; `soon`: commit now, synced; `barrier`: commit before anything else of the stream is
   * looked at (a session id that was seen for the first time).
   */
  readonly urgency: "lazy" | "soon" | "barrier"
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, costUsd: null }

/** The state before the first event; `usageEarlier`: what earlier invocations of the same run used. */
export const folding = (
  progress: Progress,
  expectedSession: string | null,
  usageEarlier: Usage = noUsage
): Folding => ({
  progress,
  usageEarlier,
  usageBefore: progress.cumulativeUsage,
  expectedSession,
  tools: [],
  confirmed: false,
  answer: "",
  mismatch: null,
  succeeded: false,
  failure: null,
  exit: null,
  stderr: ""
})

export interface FoldContext {
  readonly now: Time
  readonly redact: (text: string) => string
}

/** Text of one event at most, bytes of UTF-8. */
const textBytes = 4096

/** UTF-16 units of an answer that are kept. */
const answerLength = 256 * 1024

export const fold = (state: Folding, event: RunEvent, { now, redact }: FoldContext): Folded => {
  const { progress } = state
  const phase = currentPhase(progress)
  const clean = (text: string): { readonly text: string; readonly truncated: boolean } =>
    bounded(redact(text), textBytes)
  const tell = (kind: EventKind, message: string, payload: Payload = {}): NewEvent => ({
    kind,
    timestamp: now,
    phase: phaseNumber(progress),
    message: oneLine(redact(message), 280),
    payload
  })
  const moved = (position: Partial<Progress["position"]>, more: Partial<Progress> = {}): Folding => ({
    ...state,
    progress: { ...progress, ...more, position: { ...progress.position, ...position, lastActivityAt: now } }
  })
  const atWork = (tools: OpenTools.OpenTools, position: Partial<Progress["position"]> = {}): Folding => ({
    ...moved({ ...position, openTool: OpenTools.newest(tools) }),
    tools
  })
  const lazy = (next: Folding, ...events: ReadonlyArray<NewEvent>): Folded => ({ state: next, events, urgency: "lazy" })
  const soon = (next: Folding, ...events: ReadonlyArray<NewEvent>): Folded => ({ state: next, events, urgency: "soon" })
  const { position } = progress

  switch (event._tag) {
    case "Spawned":
      return soon({ ...state, progress: { ...progress, child: event.child } })

    case "SessionNamed": {
      const id = event.id
      if (state.expectedSession !== null && id !== state.expectedSession) {
        return soon(
          { ...state, mismatch: { expected: state.expectedSession, got: id } },
          tell("notice", `asked for conversation ${state.expectedSession}, but the provider opened ${id}`, {
            expected: state.expectedSession,
            got: id
          })
        )
      }
      const known = phase.providerSession
      const first = known === null || known.seenAt === null || known.id !== id
      const session: ProviderSession = {
        id,
        assignedBy: known?.id === id ? known.assignedBy : "provider",
        seenAt: known?.id === id && known.seenAt !== null ? known.seenAt : now,
        location: event.location ?? known?.location ?? null
      }
      const confirmed = state.confirmed || event.confirms
      const next = { ...moved({}, withPhase(progress, { providerSession: session })), expectedSession: id, confirmed }
      if (!first && confirmed === state.confirmed) return lazy(next)
      return {
        state: next,
        events: first ? [tell("provider_session", `conversation ${id}`, { id, assigned_by: session.assignedBy })] : [],
        urgency: "barrier"
      }
    }

    case "SettingsReported": {
      const model = event.model === null ? phase.model : { ...phase.model, actual: event.model }
      const thinking = event.thinking === null ? phase.thinking : { ...phase.thinking, actual: event.thinking }
      const permissionActual = event.permission ?? progress.permissionActual
      const changed =
        model.actual !== phase.model.actual ||
        thinking.actual !== phase.thinking.actual ||
        permissionActual !== progress.permissionActual
      if (!changed) return lazy(state)
      const next = moved({}, { ...withPhase(progress, { model, thinking }), permissionActual })
      const differs = model.requested !== null && model.actual !== null && !sameModel(model.requested, model.actual)
      return soon(
        next,
        tell(
          "model_reported",
          differs ? `model requested ${model.requested}, actual ${model.actual}` : `model ${model.actual ?? "unknown"}`,
          { model, thinking, permission: permissionActual, differs }
        )
      )
    }

    case "TurnStarted":
      // The model goes on only when every tool that it called has answered.
      return lazy(atWork([], { turn: position.turn + 1 }))

    case "Message": {
      const answer = redact(event.text)
      const { text, truncated } = bounded(answer, textBytes)
      const messages = position.messages + 1
      const next = moved({ messages, lastMessageId: event.id ?? position.lastMessageId })
      return lazy(
        event.role === "assistant" ? { ...next, answer: answer.slice(0, answerLength) } : next,
        tell("message", event.text, { role: event.role, id: event.id, text, truncated })
      )
    }

    case "ToolStarted": {
      const summary = clean(event.summary)
      const name = oneLine(redact(event.name), 80)
      return soon(
        atWork(OpenTools.started(state.tools, { id: event.id, name, since: now })),
        tell("tool_started", `${event.name}: ${event.summary}`, {
          id: event.id,
          name,
          summary: summary.text,
          truncated: summary.truncated
        })
      )
    }

    case "ToolFinished": {
      const summary = clean(event.summary)
      const name = state.tools.find(({ id }) => id === event.id)?.name ?? "tool"
      return soon(
        atWork(OpenTools.finished(state.tools, event.id)),
        tell("tool_finished", `${name} ${event.ok ? "finished" : "failed"}`, {
          id: event.id,
          ok: event.ok,
          summary: summary.text,
          truncated: summary.truncated
        })
      )
    }

    case "Denied": {
      const detail = clean(event.detail)
      return soon(
        moved({}, { denied: progress.denied + 1 }),
        tell("denied", `${event.tool} was refused by the permission setting`, {
          tool: redact(event.tool),
          detail: detail.text
        })
      )
    }

    case "UsageReported": {
      const reported = usageOf(event, state.usageBefore, progress.cumulativeUsage)
      const usage = plus(state.usageEarlier, reported.usage)
      const { cumulativeUsage } = reported
      return lazy(moved({}, { usage, cumulativeUsage }), tell("usage", usageLine(usage), { ...usagePayload(usage) }))
    }

    case "Retrying":
      return lazy(moved({}), tell("retrying", event.text, { until: isoOrNull(event.until) }))

    case "Notice":
      return lazy(moved({}), tell("notice", event.text, { text: clean(event.text).text }))

    case "Compacted":
      return soon(
        moved({}),
        tell("notice", "the conversation was compacted: earlier messages were replaced by a summary", {
          compacted: true
        })
      )

    case "Succeeded":
      return soon({
        ...moved({ openTool: null }),
        answer: event.text === "" ? state.answer : redact(event.text).slice(0, answerLength),
        succeeded: true
      })

    case "Failed": {
      const failure: ProviderFailure = { ...event.failure, text: clean(event.failure.text).text }
      // The first terminal error is the cause; what a program says while it falls over is not.
      return soon({ ...moved({}), failure: state.failure ?? failure })
    }

    case "LineDropped": {
      const stream = { ...progress.stream, [event.why]: progress.stream[event.why] + 1 }
      const excerpt = bounded(redact(event.excerpt), 200).text
      return lazy(
        moved({}, { stream }),
        ...(progress.stream[event.why] === 0
          ? [
              tell(
                "notice",
                `a line of the provider's output was ${event.why === "oversize" ? "too long to read" : "not understood"}`,
                { why: event.why, excerpt }
              )
            ]
          : [])
      )
    }

    case "LineRead":
      return lazy(
        event.from === "stderr"
          ? state
          : moved({}, { stream: { ...progress.stream, lines: progress.stream.lines + 1 } })
      )

    case "Exited": {
      const exit = event.exit
      const notice =
        state.succeeded && exit.code !== 0
          ? [
              tell(
                "notice",
                `the provider reported success and then ended with ${exit.signal ?? `exit code ${exit.code}`}`,
                { exit_code: exit.code, signal: exit.signal }
              )
            ]
          : []
      return soon(
        {
          ...state,
          exit,
          stderr: bounded(redact(event.stderrTail), textBytes).text,
          progress: { ...progress, child: null, providerExit: exit }
        },
        ...notice
      )
    }
  }
}

/** The phases, with the current one changed. */
export const withPhase = (progress: Progress, change: Partial<Phase>): Pick<Progress, "phases"> => ({
  phases: progress.phases.map((phase, index) => (index === progress.phase ? { ...phase, ...change } : phase))
})

/** The current phase with its end written in. */
export const endPhase = (progress: Progress, state: Phase["state"], endedAt: Time): Progress => ({
  ...progress,
  ...withPhase(progress, { state, endedAt })
})

/** This run's own figures, and the session's running totals to subtract next time, from what a provider reports. */
const usageOf = (
  { usage, cumulative, sessionCostUsd }: Extract<RunEvent, { readonly _tag: "UsageReported" }>,
  before: Usage | null,
  totals: Usage | null
): { readonly usage: Usage; readonly cumulativeUsage: Usage | null } => {
  if (cumulative) return { usage: less(usage, before), cumulativeUsage: usage }
  if (sessionCostUsd === undefined) return { usage, cumulativeUsage: totals }
  const costUsd = usage.costUsd ?? Math.max(0, sessionCostUsd - (before?.costUsd ?? 0))
  return { usage: { ...usage, costUsd }, cumulativeUsage: { inputTokens: 0, outputTokens: 0, costUsd: sessionCostUsd } }
}

const less = (total: Usage, before: Usage | null): Usage => ({
  inputTokens: Math.max(0, total.inputTokens - (before?.inputTokens ?? 0)),
  outputTokens: Math.max(0, total.outputTokens - (before?.outputTokens ?? 0)),
  costUsd: total.costUsd === null ? null : Math.max(0, total.costUsd - (before?.costUsd ?? 0))
})

const plus = (earlier: Usage, now: Usage): Usage => ({
  inputTokens: earlier.inputTokens + now.inputTokens,
  outputTokens: earlier.outputTokens + now.outputTokens,
  costUsd: earlier.costUsd === null && now.costUsd === null ? null : (earlier.costUsd ?? 0) + (now.costUsd ?? 0)
})

const usageLine = (usage: Usage): string =>
  `${usage.inputTokens} tokens in, ${usage.outputTokens} out${usage.costUsd === null ? "" : `, $${usage.costUsd.toFixed(4)}`}`

const usagePayload = (usage: Usage): Payload => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  cost_usd: usage.costUsd
})
