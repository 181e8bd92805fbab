/**
 * The facts of a resume decision one by one, each with what it means for the resume: what `doctor ID` answers. The decision
 * tells the first thing that stands in the way; this tells all that was looked at. Pure.
 */
import { currentPhase } from "../checkpoint/Checkpoint.js"
import { duration } from "../text/duration.js"
import type { Decision } from "./Decision.js"
import { conversationSeen, type Facts, isEmptied, type Probe, type RunningAttempt } from "./Facts.js"

/** One fact. `skipped`: it was not looked at, or could not be found out; never taken for absence. */
export interface Finding {
  readonly id: string
  readonly status: "ok" | "warning" | "problem" | "skipped"
  readonly message: string
  readonly detail: string | null
}

const finding = (id: string, status: Finding["status"], message: string, detail: string | null = null): Finding => ({
  id,
  status,
  message,
  detail
})

/** Every fact about a checkpoint that a resume depends on, in the order in which the decision asks for them. */
export const explain = (facts: Facts, decision: Decision): ReadonlyArray<Finding> => {
  const { checkpoint, probe } = facts
  const found =
    checkpoint === null
      ? [finding("record", "problem", facts.troubleDetail ?? `there is no run ${facts.requestedId}`)]
      : [
          stateOf(facts, checkpoint),
          attemptsOf(facts, checkpoint),
          ownerOf(facts.runningAttempt),
          holderOf(facts.sessionHolder),
          ...(probe === null
            ? [
                finding(
                  "world",
                  "skipped",
                  "the folder, the program and the conversation were not looked at",
                  why(facts)
                )
              ]
            : [
                survivorOf(probe),
                folderOf(probe, checkpoint.spec.workspace.cwd),
                ...neighboursOf(probe),
                programOf(probe, facts.providerTitle),
                conversationOf(probe, facts, checkpoint)
              ]),
          limitOf(facts, checkpoint),
          ageOf(facts, checkpoint)
        ]
  return [...found, finding("resume", verdict(decision), decision.message, decision.detail)]
}

type Record = NonNullable<Facts["checkpoint"]>

const why = (facts: Facts): string | null => (facts.runningAttempt === null ? null : "a live attempt settles it")

const stateOf = ({ tip }: Facts, { id, reason, state }: Record): Finding => {
  const words = reason === null ? state : `${state}: ${reason.message}`
  if (state === "completed") return finding("state", "ok", "completed: a record, nothing is left to resume")
  if (tip !== null && tip !== id) return finding("state", "warning", `${words}; it went on as ${tip}`)
  return finding("state", "ok", words)
}

const attemptsOf = ({ attempts, policy }: Facts, { attempt }: Record): Finding =>
  finding(
    "attempts",
    attempts >= policy.maxAttempts ? "warning" : "ok",
    `attempt ${attempt}; ${attempts} of at most ${policy.maxAttempts} reached the conversation`
  )

const named = ({ host, id, pid }: RunningAttempt): string => `${id} (pid ${pid} on ${host})`

const ownerOf = (running: RunningAttempt | null): Finding => {
  if (running === null) return finding("owner", "ok", "no attempt is running")
  // That it goes on is nothing that is wrong.
  return running.liveness === "alive"
    ? finding("owner", "ok", `${named(running)} is running it now`)
    : finding("owner", "problem", `whether ${named(running)} is alive cannot be proven`, running.why)
}

const holderOf = (holder: RunningAttempt | null): Finding =>
  holder === null
    ? finding("session", "ok", "no other run uses its session")
    : finding("session", "problem", `${named(holder)} uses its session`)

const survivorOf = ({ survivor }: Probe): Finding =>
  survivor === null
    ? finding("survivor", "ok", "no process of it is left")
    : finding("survivor", "problem", `pid ${survivor.pid} (${survivor.command}) of it is still alive`)

const folderOf = ({ drift, workspace }: Probe, recorded: string): Finding => {
  if (workspace._tag === "Unusable") return finding("folder", "problem", workspace.detail, workspace.path)
  const moved = [
    drift?.head == null ? null : `the commit was ${drift.head.before} and is ${drift.head.now}`,
    drift?.branch == null ? null : `the branch was ${drift.branch.before} and is ${drift.branch.now}`,
    drift === null || drift.dirty.length === 0 ? null : `${drift.dirty.length} files have uncommitted changes`
  ].filter((each) => each !== null)
  return moved.length === 0
    ? finding("folder", "ok", `${recorded} is there`)
    : finding("folder", "warning", `${recorded} is there, and has changed since`, moved.join("; "))
}

const neighboursOf = ({ neighbours }: Probe): ReadonlyArray<Finding> =>
  neighbours.length === 0
    ? []
    : [finding("neighbours", "warning", `other runs are live in the same folder: ${neighbours.join(", ")}`)]

const programOf = ({ auth, installHint, providerCommand, providerFound }: Probe, title: string): Finding => {
  if (providerFound === null) return finding("program", "problem", "this program has no such provider")
  if (!providerFound) return finding("program", "problem", `${title} is not installed`, installHint)
  return auth === "absent"
    ? finding("program", "problem", `${title} is not signed in`, providerCommand)
    : finding("program", "ok", `${title} is installed`, providerCommand)
}

const conversationOf = ({ session }: Probe, facts: Facts, checkpoint: Record): Finding => {
  const known = currentPhase(checkpoint.progress).providerSession
  if (facts.capabilities?.continuation === "none") {
    return finding("conversation", "problem", `${facts.providerTitle} cannot continue a conversation`)
  }
  if (known === null) {
    return finding("conversation", "warning", "the provider never named its conversation")
  }
  if (!facts.sessionIdWellFormed)
    return finding("conversation", "problem", `${known.id} can be no id of a conversation`)
  const seen = conversationSeen(checkpoint) ? null : "no answer of the agent is on record: the task is sent again"
  if (isEmptied(checkpoint, session)) {
    return finding("conversation", "problem", `${known.id} is there, and empty`, session?.detail ?? session?.path)
  }
  switch (session?.presence) {
    case "present":
      return session.tailDamaged || (session.brokenLines ?? 0) > checkpoint.spec.knownDamage
        ? finding("conversation", "warning", `${known.id} is there, with damaged lines`, session.detail ?? session.path)
        : finding("conversation", "ok", `${known.id} is there`, seen ?? session.path)
    case "absent":
      return finding("conversation", "problem", `${known.id} is not in the provider's storage any more`, session.detail)
    case "damaged":
      return finding("conversation", "problem", `${known.id} is damaged`, session.detail)
    default:
      return finding("conversation", "skipped", `whether ${known.id} is still there is not known`, session?.detail)
  }
}

const limitOf = ({ now }: Facts, { reason }: Record): Finding => {
  if (reason?.code !== "usage_limit") return finding("limit", "ok", "no usage limit ended it")
  if (reason.resetsAt === null)
    return finding("limit", "warning", "a usage limit ended it; when it resets is not known")
  return reason.resetsAt > now
    ? finding("limit", "problem", `the usage limit resets in ${duration(reason.resetsAt - now)}`)
    : finding("limit", "ok", "the usage limit has reset")
}

const ageOf = ({ now, policy }: Facts, { progress }: Record): Finding => {
  const old = now - progress.position.lastActivityAt
  return finding(
    "age",
    old >= policy.maxAgeMs ? "problem" : "ok",
    `it was last active ${duration(old)} ago; the limit is ${duration(policy.maxAgeMs)}`
  )
}

const verdict = ({ reason, status }: Decision): Finding["status"] => {
  if (status === "resuming_same_session") return "ok"
  if (status === "falling_back_to_fresh_invocation") return "warning"
  // Nothing is wrong with a run that is done, or goes on.
  return reason === "checkpoint_completed" || reason === "already_running" ? "ok" : "problem"
}
