/** The last line of a run's stream, whatever happened. */
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import type { Decision } from "../resume/Decision.js"
import { decisionSummary, reasonDocument, usageDocument } from "./checkpointDocument.js"
import type { RunSummary } from "./schema/runSummary.js"

/** The summary of a run. `ended`: the checkpoint is as it was stored at its end; otherwise how it ended is not known. */
export const runSummary = ({
  checkpoint,
  ended,
  exitCode
}: {
  readonly checkpoint: Checkpoint
  readonly ended: boolean
  readonly exitCode: number
}): RunSummary => ({
  kind: "run_summary",
  version: 1,
  checkpoint_id: checkpoint.id,
  state: ended ? checkpoint.state : null,
  reason: ended ? reasonDocument(checkpoint.reason) : null,
  decision: null,
  exit_code: exitCode,
  usage: usageDocument(checkpoint.progress.usage),
  denied: checkpoint.progress.denied,
  elapsed_ms: checkpoint.progress.elapsedMs
})

/** The summary where nothing started; `decision`: the refusal, if there was one. */
export const refusalSummary = (decision: Decision | null, exitCode: number): RunSummary => ({
  kind: "run_summary",
  version: 1,
  checkpoint_id: decision?.checkpointId ?? null,
  state: null,
  reason: null,
  decision: decision === null ? null : decisionSummary(decision),
  exit_code: exitCode,
  usage: null,
  denied: 0,
  elapsed_ms: null
})
