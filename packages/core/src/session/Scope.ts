/**
 * Who is asking. A library caller holds an `AgentScope` and sees only what belongs to its agent (and session); a
 * checkpoint of another agent answers as if it were not there. The operator's scope sees everything and is an explicit
 * capability: only the command line and the monitor hold it.
 */
import * as Data from "effect/Data"
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import type { SessionId } from "../checkpoint/ids.js"

export type Scope = Data.TaggedEnum<{
  // biome-ignore lint/complexity/noBannedTypes: a tagged case without fields
  Operator: {}
  Agent: { readonly agent: string; readonly sessionId: SessionId | null }
}>

const constructors = Data.taggedEnum<Scope>()

/** Sees every agent's checkpoints. */
export const operator: Scope = constructors.Operator()

/** Sees the checkpoints of one agent, or of one of its sessions. */
export const agent = (name: string, sessionId: SessionId | null = null): Scope =>
  constructors.Agent({ agent: name, sessionId })

/** Whether a checkpoint may be seen in a scope. */
export const allows = (scope: Scope, checkpoint: Pick<Checkpoint, "agent" | "sessionId">): boolean =>
  scope._tag === "Operator" ||
  (checkpoint.agent === scope.agent && (scope.sessionId === null || checkpoint.sessionId === scope.sessionId))
