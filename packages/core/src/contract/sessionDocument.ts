/** Sessions and agents as JSON: both are views of checkpoints. */
import { type Checkpoint, currentPhase } from "../checkpoint/Checkpoint.js"
import { checkpointDocument, type Decided } from "./checkpointDocument.js"
import { iso } from "./json.js"
import type { AgentListDocument, SessionDocument, SessionListDocument, SessionSummary } from "./schema/sessions.js"

const bySeq = (a: Checkpoint, b: Checkpoint): number => a.seq - b.seq

const grouped = <Key>(checkpoints: ReadonlyArray<Checkpoint>, keyOf: (checkpoint: Checkpoint) => Key) => {
  const groups = new Map<Key, Array<Checkpoint>>()
  for (const checkpoint of checkpoints) {
    const group = groups.get(keyOf(checkpoint))
    if (group === undefined) groups.set(keyOf(checkpoint), [checkpoint])
    else group.push(checkpoint)
  }
  return groups
}

const lastActivity = (checkpoints: ReadonlyArray<Checkpoint>): number =>
  checkpoints.reduce(
    (latest, { progress }) => Math.max(latest, progress.position.lastActivityAt),
    Number.NEGATIVE_INFINITY
  )

/** Each session that the checkpoints belong to, the one with the newest run first. */
export const sessionSummaries = (checkpoints: ReadonlyArray<Checkpoint>): ReadonlyArray<SessionSummary> =>
  [...grouped(checkpoints, ({ sessionId }) => sessionId).values()]
    .map((runs) => runs.sort(bySeq))
    .sort((a, b) => (b.at(-1)?.seq ?? 0) - (a.at(-1)?.seq ?? 0))
    .flatMap((runs) => {
      const first = runs[0]
      const latest = runs.at(-1)
      return first === undefined || latest === undefined ? [] : [sessionSummary(first, latest, runs)]
    })

const sessionSummary = (first: Checkpoint, latest: Checkpoint, runs: ReadonlyArray<Checkpoint>): SessionSummary => {
  const phase = currentPhase(latest.progress)
  return {
    id: latest.sessionId,
    agent: latest.agent,
    title: latest.title,
    provider: phase.provider,
    model: phase.model.actual ?? phase.model.requested,
    provider_session_id: phase.providerSession?.id ?? null,
    cwd: latest.spec.workspace.cwd,
    state: latest.state,
    checkpoints: runs.length,
    latest_checkpoint_id: latest.id,
    started_at: iso(first.startedAt),
    last_activity_at: iso(lastActivity(runs))
  }
}

/** The document of one session, from all its checkpoints; `null` without any: then there is no such session. */
export const sessionDocument = (runs: ReadonlyArray<Decided>): SessionDocument | null => {
  const sorted = [...runs].sort((a, b) => bySeq(a.checkpoint, b.checkpoint))
  const [session] = sessionSummaries(sorted.map(({ checkpoint }) => checkpoint))
  return session === undefined
    ? null
    : {
        kind: "session",
        version: 1,
        ...session,
        items: sorted.map(({ checkpoint, decision }) => checkpointDocument(checkpoint, decision))
      }
}

/** A page of sessions. `checkpoints`: all of theirs. */
export const sessionListDocument = (
  checkpoints: ReadonlyArray<Checkpoint>,
  page: { readonly total: number | null; readonly nextCursor: string | null } = { total: null, nextCursor: null }
): SessionListDocument => ({
  kind: "session_list",
  version: 1,
  items: sessionSummaries(checkpoints),
  total: page.total,
  next_cursor: page.nextCursor
})

/** Every agent that has checkpoints, by name. */
export const agentListDocument = (checkpoints: ReadonlyArray<Checkpoint>): AgentListDocument => ({
  kind: "agent_list",
  version: 1,
  items: [...grouped(checkpoints, ({ agent }) => agent)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([agent, runs]) => ({
      agent,
      sessions: new Set(runs.map(({ sessionId }) => sessionId)).size,
      checkpoints: runs.length,
      running: runs.filter(({ state }) => state === "running").length,
      last_activity_at: iso(lastActivity(runs))
    }))
})
