/** Why an action cannot be done now, in one sentence; `null`: it can. The palette and the keys say the same. */
import type { Task } from "@alluka/core"
import type { Action } from "../keys/keyTable.js"
import { clockSeconds } from "../layout/time.js"
import { isEmptyFilter } from "../model/filter.js"
import { filterOf, listingOf, selectedRun } from "../model/items.js"
import type { Model } from "../model/Model.js"
import { phaseOf, type Run } from "../model/Run.js"
import { liveLoop, selectedTask, type TasksView } from "../model/tasks.js"
import { isWaiting } from "../model/waiting.js"

/** Why a run cannot be resumed whatever a person consents to. */
export const nothingToResume = ({ checkpoint }: Run): string | null => {
  if (checkpoint.state === "completed")
    return "✓ Completed; a record, not resumable. N starts a new run in its session."
  if (checkpoint.state === "running")
    return `● Running here since ${clockSeconds(checkpoint.startedAt)}; nothing to resume.`
  return null
}

/** Why a run's conversation cannot be taken over in a screen of its provider's. */
const noScreen = ({ providers }: Model, run: Run): string | null => {
  const { provider, providerSession } = phaseOf(run)
  if (providerSession === null) return "It has no conversation that could be opened; r says what is possible."
  const known = providers?.find(({ id }) => id === provider)
  return known === undefined || known.screen ? null : `${known.title} has no screen of its own; r goes on without one.`
}

const whyNot = (view: TasksView, task: Task.Task, action: Action): string | null => {
  const loop = liveLoop(view, task.folder)
  switch (action) {
    case "taskStart":
      return loop === null ? null : `A task run is going on here already (pid ${loop.pid}).`
    case "taskStop":
      if (loop === null) return "No task run is going on in its folder."
      return loop.stopping ? "It was already told to stop." : null
    case "taskWatch":
      return task.run === null ? "No run of it has begun. r starts it." : null
    case "taskReject":
      return task.status === "doing" ? "A run of it has begun; stop that first." : null
    default:
      return null
  }
}

export const unavailable = (model: Model, action: Action): string | null => {
  const run = selectedRun(model)
  const marked = model.marks.size > 0
  switch (action) {
    case "resume":
      if (marked) return null
      return run === null ? "Select a run first." : nothingToResume(run)
    case "cancel": {
      if (marked) return null
      if (run === null) return "Select a run first."
      if (isWaiting(model, run)) return null
      if (run.checkpoint.state !== "running") return "It has ended; there is nothing to cancel."
      return run.checkpoint.cancelRequested === null ? null : "It was already told to stop."
    }
    case "dismiss":
      if (marked) return null
      if (run === null) return "Select a run first."
      if (run.checkpoint.state === "running") return "A running one cannot be dismissed."
      return run.checkpoint.dismissedAt === null ? null : "It was already dismissed."
    case "takeOver":
      if (run === null) return "Select a run first."
      if (run.checkpoint.state === "running") return "It is running; cancel it first."
      return nothingToResume(run) ?? noScreen(model, run)
    case "followUp":
      if (run === null) return "Select a run first."
      return run.checkpoint.state === "running" ? "Its session is busy while it runs." : null
    case "rename":
    case "copyId":
    case "copyCommand":
    case "log":
    case "transcript":
    case "mark":
      return run === null ? "Select a run first." : null
    case "follow":
    case "wrap":
    case "timestamps":
    case "raw":
    case "find":
      return model.screen === "log" ? null : "Open a log first (l)."
    case "findNext":
    case "findPrevious":
      if (model.screen !== "log") return "Open a log first (l)."
      return model.log?.find === "" ? "Search first (/)." : null
    case "demo":
      return model.runs.size === 0 && isEmptyFilter(filterOf(model))
        ? null
        : "For an empty store; else: run --provider demo."
    case "taskAdd":
      return model.screen === "tasks" ? null : "Open the task lists first (t)."
    case "taskEdit":
    case "taskUp":
    case "taskDown":
    case "taskStart":
    case "taskStop":
    case "taskReject":
    case "taskWatch": {
      if (model.screen !== "tasks" || model.tasks === null) return "Open the task lists first (t)."
      const task = selectedTask(model.tasks)
      if (task === null) return "There is no task yet; n adds one."
      return whyNot(model.tasks, task, action)
    }
    case "open":
    case "markAll":
      return listingOf(model).items.length === 0 ? "There is nothing in the list." : null
    default:
      return null
  }
}
