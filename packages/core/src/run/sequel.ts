/**
 * What follows when a provider has ended within a run: the end of the run, or another invocation in it (the next phase,
 * or the same conversation once more). `Runs` carries it out; who builds a sequel decides it.
 */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Checkpoint, Progress } from "../checkpoint/Checkpoint.js"
import type { NewEvent } from "../checkpoint/Event.js"
import type { Permission } from "../checkpoint/state.js"
import type { ProviderFailure } from "../provider/failure.js"
import type { Conversation, Provider } from "../provider/Provider.js"
import type { Ending } from "./ending.js"

/** One invocation of a provider. Model and thinking are those of the phase that the progress is in. */
export interface Turn {
  readonly provider: Provider
  readonly conversation: Conversation
  readonly prompt: string
  readonly permission: Permission
  /** The id that the provider must open; `null`: whatever it opens is right. */
  readonly expectedSession: string | null
}

export interface TurnEnded {
  /** With the progress that is reached; still running. */
  readonly checkpoint: Checkpoint
  /** How the run would end if nothing followed. */
  readonly ending: Ending
  /** The provider's declared answer that it does not have the conversation. */
  readonly lostSession: ProviderFailure["lostSession"]
  /** The last that the agent said, redacted. */
  readonly answer: string
}

export type Following = Data.TaggedEnum<{
  End: { readonly ending: Ending; readonly events: ReadonlyArray<NewEvent> }
  /** `progress` and `events` are committed, synced, before the provider is started. */
  Next: { readonly turn: Turn; readonly progress: Progress; readonly events: ReadonlyArray<NewEvent> }
}>
export const Following = Data.taggedEnum<Following>()

export interface SequelHands {
  /** Commits events while the run goes on. */
  readonly tell: (events: ReadonlyArray<NewEvent>) => Effect.Effect<void>
}

export interface Sequel {
  /** Nothing follows such an end: asked first, so that a run that is over cannot be stopped any more. */
  readonly isOver: (ended: TurnEnded) => Effect.Effect<boolean>
  /** Interrupted when the run is stopped or cancelled meanwhile. */
  readonly follow: (ended: TurnEnded, hands: SequelHands) => Effect.Effect<Following>
}
