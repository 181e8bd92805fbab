/**
 * How a task's run goes on when its provider has ended: through the gate, into the next phase, once more in the same
 * conversation. One of these belongs to one run.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { Checkpoint, Phase, Progress } from "../checkpoint/Checkpoint.js"
import { currentPhase, phaseNumber } from "../checkpoint/Checkpoint.js"
import { CheckpointStore } from "../checkpoint/CheckpointStore.js"
import type { NewEvent, StoredEvent } from "../checkpoint/Event.js"
import { type GateCommand, gateLine } from "../checkpoint/GateCommand.js"
import { reasonOf } from "../checkpoint/reason.js"
import { Redactor } from "../privacy/Redactor.js"
import { Conversation, Providers } from "../provider/Provider.js"
import type { Decision } from "../resume/Decision.js"
import { decide } from "../resume/decide.js"
import { decisionEvent } from "../resume/decisionEvent.js"
import { plainRequest, type ResumePolicy } from "../resume/Facts.js"
import { fromRecord } from "../resume/gather.js"
import { freshPrompt } from "../resume/handover.js"
import type { Question } from "../resume/record.js"
import { chooseSession } from "../run/chooseSession.js"
import type { Ending } from "../run/ending.js"
import { withPhase } from "../run/progress.js"
import { Following, type Sequel, type SequelHands, type TurnEnded } from "../run/sequel.js"
import { oneLine } from "../text/oneLine.js"
import { gateFinished, gateStarted, handoverIn, phaseEntered } from "./events.js"
import { Gates } from "./GatePort.js"
import { fixMessage, type GateResult, howItFailed, judge, resultOf, storedExcerpt, type Verdict } from "./gate.js"
import { handoverOf, isGated, killedMessage, phasePrompt } from "./phases.js"
import { Reverts } from "./RevertPort.js"

/** What becomes of the work when the gate was given up. */
export type GateAnswer = "keep" | "revert" | { readonly goOn: string | null }

export interface GateGivenUp {
  readonly checkpoint: Checkpoint
  readonly command: GateCommand
  readonly result: GateResult
  readonly failures: number
  readonly why: Exclude<Verdict, "passed" | "fix">
}

export interface TaskSequelOptions {
  readonly policy: ResumePolicy
  readonly gate: GateCommand | null
  /** Signatures of failures of the gate in earlier attempts. */
  readonly failures: ReadonlyArray<string>
  /** Asked when the gate is given up. */
  readonly gaveUp: (facts: GateGivenUp) => Effect.Effect<GateAnswer>
}

/** Everything is kept where nobody is there to be asked. */
export const keepIt = (): Effect.Effect<GateAnswer> => Effect.succeed("keep")

/** How often a run goes on by itself after its provider was killed. */
const maxContinuations = 5
/** How long it waits before it does, ms; two conversations of one second would get the same derived id. */
const backOffMs = 1100

/** The name under which the state of a folder before a task is remembered. */
export const revertName = (taskId: string | null, rootId: string): string =>
  [...(taskId === null ? [] : [taskId]), rootId.replace(/^ckpt_/, "")].join("-")

export const makeTaskSequel = (options: TaskSequelOptions) =>
  Effect.gen(function* () {
    const providers = yield* Providers
    const gates = yield* Gates
    const reverts = yield* Reverts
    const store = yield* CheckpointStore
    const { redact } = yield* Redactor
    const failures = yield* Ref.make(options.failures)
    const continuations = yield* Ref.make(0)
    /** What the conversation that goes on was told, for the case that the provider does not have it any more. */
    const told = yield* Ref.make<string | null>(null)

    const gateOf = (checkpoint: Checkpoint): GateCommand | null =>
      isGated(currentPhase(checkpoint.progress).name) ? options.gate : null

    const isLast = ({ progress }: Checkpoint): boolean => progress.phase >= progress.phases.length - 1

    const isOver: Sequel["isOver"] = ({ checkpoint, ending, lostSession }) =>
      Effect.gen(function* () {
        if (ending.state === "completed") {
          return options.gate === null && isLast(checkpoint)
        }
        if (lostSession !== null) return (yield* Ref.get(told)) === null
        if (ending.reason?.code !== "provider_killed") return true
        return (yield* Ref.get(continuations)) >= maxContinuations
      })

    const follow: Sequel["follow"] = (ended, hands) =>
      Effect.gen(function* () {
        const { checkpoint, ending } = ended
        if (ending.state !== "completed") {
          const message = yield* Ref.get(told)
          if (ended.lostSession !== null && message !== null) return yield* anew(ended, message)
          yield* Ref.update(continuations, (count) => count + 1)
          yield* Effect.sleep(backOffMs)
          return yield* goOn(ended, killedMessage(ending.reason?.signal ?? "a signal"))
        }
        const gate = gateOf(checkpoint)
        const checked = gate === null ? null : yield* throughGate(ended, gate, hands)
        if (checked !== null) return checked
        if (!isLast(checkpoint)) return yield* enterNext(ended)
        yield* reverts.forget(checkpoint.spec.workspace, revertName(checkpoint.taskId, checkpoint.rootId))
        return Following.End({ ending, events: [] })
      })

    // ---------------------------------------------------------------- the gate

    /** Runs the gate; `null`: it passed. */
    const throughGate = (ended: TurnEnded, command: GateCommand, hands: SequelHands) =>
      Effect.gen(function* () {
        const { checkpoint } = ended
        const before = yield* Ref.get(failures)
        const gating = { command, phase: phaseNumber(checkpoint.progress), attempt: before.length + 1 }
        yield* hands.tell([gateStarted({ ...gating, at: yield* Clock.currentTimeMillis })])
        const ran = yield* Effect.either(gates.run(checkpoint.id, command, checkpoint.spec.workspace.realPath))
        if (ran._tag === "Left") {
          return Following.End({ ending: gateEnding(redact(ran.left.message), null, null), events: [] })
        }
        const result = resultOf(ran.right, redact)
        const verdict = judge(before, result)
        yield* hands.tell([gateFinished({ ...gating, at: yield* Clock.currentTimeMillis }, result, verdict)])
        if (verdict === "passed") {
          yield* Ref.set(failures, [])
          return null
        }
        const count = before.length + 1
        if (verdict === "fix") {
          yield* Ref.set(failures, [...before, result.signature])
          return yield* goOn(ended, fixMessage(command, result, count))
        }
        const answer = yield* options.gaveUp({ checkpoint, command, result, failures: count, why: verdict })
        if (typeof answer === "object") {
          yield* Ref.set(failures, [])
          return yield* goOn(ended, fixMessage(command, result, count, answer.goOn))
        }
        return yield* giveUp(checkpoint, command, result, count, verdict, answer)
      })

    const giveUp = (
      checkpoint: Checkpoint,
      command: GateCommand,
      result: GateResult,
      count: number,
      why: GateGivenUp["why"],
      answer: "keep" | "revert"
    ) =>
      Effect.gen(function* () {
        const times = why === "same_failure" ? `${count} times, three times in the same way` : `${count} times`
        const message = `the check "${gateLine(command)}" failed ${times} (${howItFailed(result)})`
        if (answer === "keep") return Following.End({ ending: gateEnding(message, result, null), events: [] })
        const { workspace } = checkpoint.spec
        const done = yield* Effect.either(reverts.revert(workspace, revertName(checkpoint.taskId, checkpoint.rootId)))
        const at = yield* Clock.currentTimeMillis
        const where =
          done._tag === "Right"
            ? `The work was saved as the branch ${done.right.savedAs} and the folder put back to how it was before.`
            : `The folder was left as it is: ${redact(done.left.detail)}.`
        const notice: NewEvent = {
          kind: "notice",
          timestamp: at,
          phase: phaseNumber(checkpoint.progress),
          message: oneLine(where, 280),
          payload: {
            reverted: done._tag === "Right",
            saved_as: done._tag === "Right" ? done.right.savedAs : null,
            commit: done._tag === "Right" ? done.right.commit : null
          }
        }
        return Following.End({ ending: gateEnding(message, result, where), events: [notice] })
      })

    // ---------------------------------------------------------------- the same conversation

    /** One more message to the conversation that just ended, decided and told like every continuation. */
    const goOn = (ended: TurnEnded, message: string) =>
      Effect.flatMap(factsOf(ended), (facts) => carryOut(ended, decide(facts), message))

    const factsOf = ({ checkpoint }: TurnEnded) =>
      Effect.gen(function* () {
        const question: Question = {
          requestedId: checkpoint.id,
          request: { ...plainRequest, scope: "continue_session" },
          policy: options.policy,
          task: null
        }
        const facts = yield* fromRecord(checkpoint, question, yield* Clock.currentTimeMillis)
        return { ...facts, runningAttempt: null, tip: checkpoint.id }
      }).pipe(Effect.provideService(Providers, providers))

    /** The provider answered that it does not have the conversation: the same message, to a new one. */
    const anew = (ended: TurnEnded, message: string) =>
      Effect.gen(function* () {
        const facts = yield* factsOf(ended)
        // What the provider says of its own conversation is as good as an id that it cannot have.
        const decision = decide({ ...facts, sessionIdWellFormed: false })
        yield* Effect.sleep(backOffMs)
        const detail = ended.ending.reason?.message ?? decision.detail
        return yield* carryOut(ended, { ...decision, detail }, message)
      })

    const carryOut = (ended: TurnEnded, decision: Decision, message: string) =>
      Effect.gen(function* () {
        const { checkpoint } = ended
        const { progress } = checkpoint
        const phase = currentPhase(progress)
        const found = providers.find(phase.provider)
        if (decision.status === "refusing_to_resume" || Option.isNone(found)) {
          return Following.End({
            ending: ended.ending,
            events: [yield* decisionEvent(decision, phaseNumber(progress))]
          })
        }
        const provider = found.value
        const same = decision.status === "resuming_same_session" && phase.providerSession !== null
        const at = yield* Clock.currentTimeMillis
        const session = same
          ? phase.providerSession
          : chooseSession(provider, { taskId: checkpoint.taskId, ...progress })(checkpoint.id, at)
        yield* Ref.set(told, same ? message : null)
        const events = same ? [] : yield* eventsOf(checkpoint)
        return Following.Next({
          turn: {
            provider,
            conversation:
              same && session !== null
                ? Conversation.Continue({ id: session.id, location: session.location })
                : Conversation.New({ id: session?.id ?? null }),
            prompt: same ? message : freshPrompt(asTold(checkpoint, handoverIn(events, checkpoint)), message, events),
            permission: phase.permission ?? checkpoint.spec.permission,
            expectedSession: session?.id ?? null
          },
          progress: {
            ...progress,
            ...withPhase(progress, { providerSession: session }),
            child: null,
            providerExit: null,
            cumulativeUsage: same ? progress.cumulativeUsage : null,
            position: { ...progress.position, openTool: null, lastActivityAt: at }
          },
          events: [yield* decisionEvent(decision, phaseNumber(progress))]
        })
      })

    const eventsOf = (checkpoint: Checkpoint): Effect.Effect<ReadonlyArray<StoredEvent>> =>
      Effect.orElseSucceed(store.events(checkpoint.id, 0, 10_000), () => [])

    // ---------------------------------------------------------------- the next phase

    const enterNext = (ended: TurnEnded) =>
      Effect.gen(function* () {
        const { checkpoint } = ended
        const { phases, phase } = checkpoint.progress
        const at = yield* Clock.currentTimeMillis
        const index = phase + 1
        const entered = phases[index]
        const provider = entered === undefined ? null : Option.getOrNull(providers.find(entered.provider))
        if (entered === undefined || provider === null) {
          return Following.End({ ending: noProvider(entered?.provider ?? "?"), events: [] })
        }
        const handover = handoverOf(ended.answer)
        const session = chooseSession(provider, { taskId: checkpoint.taskId, phases, phase: index })(checkpoint.id, at)
        yield* Ref.set(told, null)
        yield* Ref.set(continuations, 0)
        const progress: Progress = {
          ...checkpoint.progress,
          phases: phases.map((each, at_): Phase => {
            if (at_ === phase) return { ...each, state: "completed", endedAt: at }
            return at_ === index ? { ...each, state: "running", startedAt: at, providerSession: session } : each
          }),
          phase: index,
          permissionActual: null,
          // Where in the conversation it is: a new one begins.
          position: { turn: 0, messages: 0, lastMessageId: null, openTool: null, lastActivityAt: at },
          cumulativeUsage: null,
          child: null,
          providerExit: null
        }
        return Following.Next({
          turn: {
            provider,
            conversation: Conversation.New({ id: session?.id ?? null }),
            prompt: phasePrompt(entered.name, checkpoint.spec.prompt, handover.text),
            permission: entered.permission ?? checkpoint.spec.permission,
            expectedSession: session?.id ?? null
          },
          progress,
          events: [
            phaseEntered({
              phases: phases.map((each) => ({
                ...each,
                model: each.model.requested,
                thinking: each.thinking.requested
              })),
              phase: index,
              handover,
              at
            })
          ]
        })
      })

    const sequel: Sequel = { isOver, follow }
    return sequel
  })

/** The checkpoint with the prompt as the agent was told it in the present phase. */
export const asTold = (checkpoint: Checkpoint, handover: string): Checkpoint => ({
  ...checkpoint,
  spec: {
    ...checkpoint.spec,
    prompt: phasePrompt(currentPhase(checkpoint.progress).name, checkpoint.spec.prompt, handover)
  }
})

const noProvider = (provider: string): Ending => ({
  state: "failed",
  reason: reasonOf("provider_not_found", `this program has no provider "${provider}"`)
})

const gateEnding = (message: string, result: GateResult | null, where: string | null): Ending => {
  const excerpt = storedExcerpt(result?.excerpt ?? "")
  const detail = [...(where === null ? [] : [where]), ...(excerpt.text === "" ? [] : [excerpt.text])].join("\n\n")
  return {
    state: "failed",
    reason: reasonOf("gate_failed", message, {
      detail: detail === "" ? null : detail,
      exitCode: result?.exitCode ?? null,
      signal: result?.signal ?? null,
      truncated: excerpt.truncated
    })
  }
}
