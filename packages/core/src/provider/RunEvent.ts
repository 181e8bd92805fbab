/**
 * What a provider's stream says, in one vocabulary. Decoders (one per provider, pure) produce these; `run/` folds them
 * into the checkpoint. Text here is the provider's own: not redacted and not safe for a terminal yet.
 */
import * as Data from "effect/Data"
import type { ProcessIdentity, ProviderExit, Time, Usage } from "../checkpoint/Checkpoint.js"
import type { ProviderFailure } from "./failure.js"

// Cases without fields are `{}` so that their constructors take no argument.
// biome-ignore-start lint/complexity/noBannedTypes: see above
export type RunEvent = Data.TaggedEnum<{
  /** The provider's process is there. */
  Spawned: { readonly child: ProcessIdentity }
  /**
   * The provider named its session. `confirms`: this event proves that the conversation itself was opened (for claude
   * only `system/init`), so an attempt that saw it counts.
   */
  SessionNamed: { readonly id: string; readonly location: string | null; readonly confirms: boolean }
  SettingsReported: {
    readonly model: string | null
    readonly thinking: string | null
    readonly permission: string | null
  }
  TurnStarted: {}
  /** One finished message, or block of one. */
  Message: { readonly role: "assistant" | "user"; readonly id: string | null; readonly text: string }
  ToolStarted: { readonly id: string; readonly name: string; readonly summary: string }
  ToolFinished: { readonly id: string; readonly ok: boolean; readonly summary: string }
  /** A tool use refused by permission. */
  Denied: { readonly tool: string; readonly detail: string }
  /** `cumulative`: totals of the whole provider session; otherwise figures of this run, replacing earlier ones. */
  UsageReported: {
    readonly usage: Usage
    readonly cumulative: boolean
    /**
     * The running total of the cost over the whole provider session, where only the cost is cumulative. If
     * `usage.costUsd` is `null` beside it, this run's cost is the difference to the last stored total.
     */
    readonly sessionCostUsd?: number
  }
  /** The provider will try again by itself; not an end. */
  Retrying: { readonly text: string; readonly until: Time | null }
  Notice: { readonly text: string }
  /** The history was replaced by a summary. */
  Compacted: {}
  /** The provider's own terminal success. */
  Succeeded: { readonly text: string }
  /** The provider's own terminal error. */
  Failed: { readonly failure: ProviderFailure }
  /** A line that was no event (`skipped`), or was longer than the reader's limit (`oversize`). */
  LineDropped: { readonly why: "skipped" | "oversize"; readonly excerpt: string }
  /** A raw line of the provider's output, for the output file; it comes before the events decoded from it. */
  LineRead: { readonly from: "stdout" | "stderr"; readonly text: string }
  /** The process ended and its output was read to the end. `stderrTail`: the last few KiB. */
  Exited: { readonly exit: ProviderExit; readonly stderrTail: string }
}>
// biome-ignore-end lint/complexity/noBannedTypes: see above

export const RunEvent = Data.taggedEnum<RunEvent>()
