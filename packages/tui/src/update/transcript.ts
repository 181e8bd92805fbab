/** What is known of a run as plain text, for a pager. */
import { clockSeconds } from "../layout/time.js"
import { selectedRun } from "../model/items.js"
import type { Model } from "../model/Model.js"
import { phaseOf } from "../model/Run.js"

/** The whole transcript of the selected run as far as it is read: facts, asking every event. */
export const transcriptOf = (model: Model): string => {
  const run = selectedRun(model)
  if (run === null) return ""
  const { checkpoint } = run
  const phase = phaseOf(run)
  const entries = model.detail?.id === checkpoint.id ? model.detail.entries : []
  return [
    checkpoint.title,
    `${checkpoint.id} · ${checkpoint.state} · ${phase.provider} ${phase.model.requested ?? phase.model.actual ?? ""} · ${run.folder}`,
    ...(checkpoint.reason === null ? [] : [`${checkpoint.reason.code}: ${checkpoint.reason.message}`]),
    "",
    "Task",
    checkpoint.spec.prompt,
    "",
    ...entries.flatMap(({ at, word, full }) => [`${clockSeconds(at)}  ${word}`, full, ""])
  ].join("\n")
}
