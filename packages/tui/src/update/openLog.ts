/** Opens the log of a run. */
import type { LogView, Model } from "../model/Model.js"
import { type Step, stay } from "./step.js"

export const openLog = (model: Model, id: string): Step => {
  const log: LogView = {
    id,
    source: "events",
    raw: [],
    follow: true,
    top: { line: 0, row: 0 },
    seen: 0,
    typing: null,
    find: "",
    found: null,
    from: model.screen === "tasks" ? "tasks" : "list"
  }
  return stay({ ...model, screen: "log", log })
}
