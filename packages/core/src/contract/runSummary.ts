/** The last line of a run's stream, whatever happened. */
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import type { Decision } from "../resume/Decision.js"
import type { LoopEnd } from "../task/LoopRequest.js"
import { decisionSummary, loopDocument, reasonDocument, usageDocument } from "./checkpointDocument.js"
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

/** The summary of a task run: of its last run, with the figures of all of them, and what became of the loop. */
export const loopSummary = ({ blocked, decision, loop, outcome, runs }: LoopEnd, exitCode: number): RunSummary => {
  const last = runs.at(-1)
  return {
    ...(last === undefined || outcome === "refused"
      ? refusalSummary(outcome === "refused" ? decision : null, exitCode)
      : runSummary({ checkpoint: last, ended: outcome !== "unknown", exitCode })),
    ...(last === undefined ? {} : figuresOf(runs)),
    outcome,
    loop: loop === null ? null : loopDocument(loop),
    blocked:
      blocked === null
        ? null
        : {
            reason: blocked.reason,
            message: blocked.message,
            detail: blocked.detail,
            task_id: blocked.taskId,
            checkpoint_id: blocked.checkpointId,
            next: blocked.next.map(({ argv, title }) => ({ title, argv }))
          }
  }
}

const figuresOf = (runs: ReadonlyArray<Checkpoint>): Pick<RunSummary, "usage" | "denied" | "elapsed_ms"> => {
  const costs = runs.flatMap(({ progress }) => (progress.usage.costUsd === null ? [] : [progress.usage.costUsd]))
  const sum = (of: (run: Checkpoint) => number): number => runs.reduce((all, run) => all + of(run), 0)
  return {
    usage: usageDocument({
      inputTokens: sum(({ progress }) => progress.usage.inputTokens),
      outputTokens: sum(({ progress }) => progress.usage.outputTokens),
      costUsd: costs.length === 0 ? null : costs.reduce((all, cost) => all + cost, 0)
    }),
    denied: sum(({ progress }) => progress.denied),
    elapsed_ms: sum(({ progress }) => progress.elapsedMs)
  }
}
