/** The session id that we choose for a run, where its provider lets us. */
import { type Checkpoint, currentPhase, type ProviderSession, phaseNumber } from "../checkpoint/Checkpoint.js"
import type { CheckpointId } from "../checkpoint/ids.js"
import { Conversation, type Provider } from "../provider/Provider.js"
import type { RunSpec } from "../session/RunSpec.js"

type Seed = Pick<RunSpec, "taskId" | "phase"> & { readonly phases: { readonly length: number } }

/**
 * The seed is `{task or checkpoint id}-p{phase}-{unix seconds}`; a plain run is phase 0, the phases of a task count from 1.
 * The provider makes of it what it accepts as an id. `null`: the provider names its own.
 */
export const chooseSession =
  (provider: Pick<Provider, "sessionIdFor">, spec: Seed) =>
  (id: CheckpointId, startedAt: number): ProviderSession | null => {
    const chosen = provider.sessionIdFor(`${spec.taskId ?? id}-p${phaseNumber(spec)}-${Math.floor(startedAt / 1000)}`)
    return chosen === null ? null : { id: chosen, assignedBy: "caller", seenAt: null, location: null }
  }

/** The id under which a run's conversation is known before it is opened; `null`: the provider names it. */
export const knownSession = (checkpoint: Pick<Checkpoint, "progress">): string | null =>
  currentPhase(checkpoint.progress).providerSession?.id ?? null

/** A conversation that begins, under the id chosen for it; the provider must open no other. */
export const newConversation = {
  conversation: (checkpoint: Checkpoint): Conversation => Conversation.New({ id: knownSession(checkpoint) }),
  expectedSession: knownSession
}
