/** The facts that a record alone tells: cheap enough for every row of a list. Pure. */
import { type Checkpoint, currentPhase } from "../checkpoint/Checkpoint.js"
import type { Provider } from "../provider/Provider.js"
import type { Decision } from "./Decision.js"
import { decide } from "./decide.js"
import { type Facts, plainRequest, type ResumePolicy, type ResumeRequest, type TaskFacts } from "./Facts.js"

export interface Question {
  readonly requestedId: string
  readonly request: ResumeRequest
  readonly policy: ResumePolicy
  readonly task: TaskFacts | null
}

/** Facts where the record itself could not be read or found. */
export const withoutRecord = (
  question: Question,
  trouble: NonNullable<Facts["trouble"]>,
  troubleDetail: string | null,
  now: number
): Facts => ({
  now,
  policy: question.policy,
  request: question.request,
  requestedId: question.requestedId,
  trouble,
  troubleDetail,
  checkpoint: null,
  capabilities: null,
  providerTitle: "",
  otherProviderKnown: null,
  sessionIdWellFormed: true,
  sessionLost: false,
  tip: null,
  attempts: 0,
  nextAttempt: 1,
  runningAttempt: null,
  sessionHolder: null,
  probe: null,
  basis: "record",
  task: question.task
})

/** What a record's facts need of a provider. */
export type KnownProvider = Pick<Provider, "title" | "capabilities" | "isSessionId">

/** The facts of a checkpoint, from its record. `find`: the provider with an id; `null`: this program has none. */
export const factsOfRecord = (
  checkpoint: Checkpoint,
  question: Question,
  now: number,
  find: (id: string) => KnownProvider | null
): Facts => {
  const phase = currentPhase(checkpoint.progress)
  const provider = find(phase.provider)
  const session = phase.providerSession
  return {
    ...withoutRecord(question, "checkpoint_not_found", null, now),
    trouble: null,
    checkpoint,
    capabilities: provider?.capabilities ?? null,
    providerTitle: provider?.title ?? phase.provider,
    otherProviderKnown: question.request.provider === null ? null : find(question.request.provider) !== null,
    sessionIdWellFormed: session === null || provider === null || provider.isSessionId(session.id),
    tip: checkpoint.resumedBy,
    attempts: checkpoint.attempt,
    nextAttempt: checkpoint.attempt + 1,
    runningAttempt:
      checkpoint.state !== "running"
        ? null
        : {
            id: checkpoint.id,
            pid: checkpoint.owner.pid,
            host: checkpoint.owner.host,
            since: checkpoint.startedAt,
            liveness: "alive",
            why: null
          }
  }
}

/** What a plain resume would be answered, as far as the record alone tells. */
export const decideFromRecord = (
  checkpoint: Checkpoint,
  policy: ResumePolicy,
  now: number,
  find: (id: string) => KnownProvider | null
): Decision =>
  decide(
    factsOfRecord(checkpoint, { requestedId: checkpoint.id, request: plainRequest, policy, task: null }, now, find)
  )
