/**
 * Holds figures against `budget.json`: by the id of a figure its `target`, which the project aims at (`null`: none was set), and its `limit`, which
 * `--check` holds. The limit leaves room for a busy machine; what passes it has become slower. Pure, but for the reading.
 */
import { readFileSync } from "node:fs"

export const readBudget = () => JSON.parse(readFileSync(new URL("./budget.json", import.meta.url), "utf8"))

const within = (value, bound, better) => (better === "more" ? value >= bound : value <= bound)

/** The figure with what is asked of it; a figure without a budget is only told. */
export const judge = (figure, budget) => {
  const asked = budget[figure.id]
  if (asked === undefined) return { ...figure, better: null, target: null, met: null, within: null }
  const { better, limit, target } = asked
  return {
    ...figure,
    better,
    target,
    met: target === null ? null : within(figure.value, target, better),
    within: within(figure.value, limit, better)
  }
}
