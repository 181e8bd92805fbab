/** The task lists: what their keys do, and what the store tells of them. */
import type { Task } from "@alluka/core"
import type { Action } from "../keys/keyTable.js"
import { characterOf } from "../keys/router.js"
import { geometryOf } from "../layout/geometry.js"
import { homely } from "../layout/homely.js"
import { maxPrompt, type StartTasksDialog, type TaskDialog } from "../model/Dialog.js"
import type { Message } from "../model/Message.js"
import type { Model } from "../model/Model.js"
import { besideTask, noTasks, selectedTask, type TasksView } from "../model/tasks.js"
import { editField, fieldOf, insert } from "../model/textField.js"
import { openLog } from "./openLog.js"
import { asking, type Step, stay, twinOf, withToast } from "./step.js"

const limits = { multiline: true, max: maxPrompt }

export const openTasks = (model: Model): Step =>
  stay({ ...model, screen: "tasks", pane: "list", tasks: model.tasks ?? noTasks })

const select = (model: Model, view: TasksView, index: number): Step => {
  const item = view.items[Math.min(view.items.length - 1, Math.max(0, index))]
  return item === undefined ? stay(model) : stay({ ...model, tasks: { ...view, selected: item.id } })
}

const moveTask = (model: Model, view: TasksView, task: Task.Task, by: 1 | -1): Step => {
  const other = besideTask(view, task, by)
  if (other === null)
    return stay(withToast(model, by < 0 ? "It is the first already." : "It is the last already.", "warn"))
  const side = by < 0 ? "before" : "after"
  return asking(
    // The order is the store's; shown at once, and read again when it is stored.
    { ...model, tasks: { ...view, selected: task.id, items: swapped(view.items, task, other) } },
    {
      _tag: "MoveTask",
      id: task.id,
      place: by < 0 ? { before: other.id } : { after: other.id },
      twin: twinOf(model, ["task", "move", task.id, `--${side}`, other.id])
    }
  )
}

const swapped = (items: ReadonlyArray<Task.Task>, task: Task.Task, other: Task.Task): ReadonlyArray<Task.Task> =>
  items.map((item) => (item === task ? other : item === other ? task : item))

const openTask = (model: Model, task: Task.Task | null): Step => {
  const { cwd, home } = model.settings
  const dialog: TaskDialog = {
    kind: "task",
    id: task?.id ?? null,
    folder: homely(task?.cwd ?? cwd, home),
    field: task === null ? fieldOf(model.drafts.get("task") ?? "") : fieldOf(task.prompt),
    step: "ready",
    trouble:
      task?.promptRedacted === true ? "It held a secret, which was not kept: what is saved is what stands here." : null
  }
  return stay({ ...model, dialog })
}

/** A task that a run can begin or go on with. */
const isOpen = ({ status }: Task.Task): boolean => status === "todo" || status === "doing"

const openStart = (model: Model, view: TasksView, task: Task.Task): Step => {
  const dialog: StartTasksDialog = {
    kind: "startTasks",
    id: task.id,
    title: task.title,
    folder: task.cwd,
    open: view.items.filter((item) => item.folder === task.folder && isOpen(item)).length,
    option: isOpen(task) ? 0 : 1
  }
  return stay({ ...model, dialog })
}

const watch = (model: Model, task: Task.Task): Step => {
  const id = task.run?.id
  if (id === undefined) return stay(withToast(model, "No run of it has begun. r starts it.", "warn"))
  // An attempt that was resumed has left the list to the one that took its place.
  const run =
    model.runs.get(id) ?? [...model.runs.values()].find(({ checkpoint }) => checkpoint.rootId === task.run?.rootId)
  return run === undefined
    ? stay(withToast(model, `Its run is not in the lists: ${twinOf(model, ["runs", "show", id])}`, "warn"))
    : openLog(
        { ...model, selected: `run:${run.checkpoint.id}`, filter: "", tab: "all", here: false },
        run.checkpoint.id
      )
}

/** Does what a key of the task lists stands for; `null`: it is no matter of theirs. */
export const actInTasks = (model: Model, action: Action): Step | null => {
  const view = model.tasks
  if (view === null) return null
  const task = selectedTask(view)
  const at = task === null ? 0 : view.items.indexOf(task)
  const page = Math.max(1, Math.floor(geometryOf(model).body / 2) - 1)
  switch (action) {
    case "up":
      return select(model, view, at - 1)
    case "down":
      return select(model, view, at + 1)
    case "pageUp":
    case "halfUp":
      return select(model, view, at - page)
    case "pageDown":
    case "halfDown":
      return select(model, view, at + page)
    case "first":
      return select(model, view, 0)
    case "last":
      return select(model, view, view.items.length - 1)
    case "back":
    case "tasks":
      return stay({ ...model, screen: "list" })
    case "taskAdd":
      return openTask(model, null)
    case "taskEdit":
      return task === null ? stay(model) : openTask(model, task)
    case "taskUp":
      return task === null ? stay(model) : moveTask(model, view, task, -1)
    case "taskDown":
      return task === null ? stay(model) : moveTask(model, view, task, 1)
    case "taskStart":
      return task === null ? stay(model) : openStart(model, view, task)
    case "taskStop":
      return task === null
        ? stay(model)
        : asking(model, {
            _tag: "StopTasks",
            cwd: task.cwd,
            twin: twinOf(model, ["task", "stop", "-C", task.cwd])
          })
    case "taskReject": {
      if (task === null) return stay(model)
      const status = task.status === "rejected" ? "todo" : "rejected"
      return asking(model, {
        _tag: "RejectTask",
        id: task.id,
        status,
        twin: twinOf(model, ["task", "edit", task.id, "--status", status])
      })
    }
    case "taskWatch":
      return task === null ? stay(model) : watch(model, task)
    default:
      return null
  }
}

// ---------------------------------------------------------------- dialogs

const left = (model: Model, dialog: TaskDialog): Step => {
  if (dialog.id !== null) return stay({ ...model, dialog: null })
  const drafts = new Map(model.drafts)
  if (dialog.field.text.trim() === "") drafts.delete("task")
  else drafts.set("task", dialog.field.text)
  return stay({ ...model, dialog: null, drafts })
}

const save = (model: Model, dialog: TaskDialog): Step => {
  const prompt = dialog.field.text
  if (prompt.trim() === "") return stay({ ...model, dialog: { ...dialog, trouble: "Say first what is to be done." } })
  const argv = dialog.id === null ? ["task", "add", prompt] : ["task", "edit", dialog.id, "--prompt", prompt]
  return asking(
    { ...model, dialog: { ...dialog, step: "saving", trouble: null } },
    { _tag: "SaveTask", id: dialog.id, cwd: model.settings.cwd, prompt, twin: twinOf(model, argv) }
  )
}

export const pressedInTask = (model: Model, dialog: TaskDialog, key: string): Step => {
  if (key === "escape" || key === "ctrl+c") return left(model, dialog)
  if (dialog.step === "saving") return stay(model)
  if (key === "enter") return save(model, dialog)
  if (key === "ctrl+g") return asking(model, { _tag: "EditText", text: dialog.field.text })
  const text = key === "alt+enter" || key === "ctrl+j" ? "\n" : characterOf(key)
  const field = text === null ? editField(dialog.field, key) : insert(dialog.field, text, limits)
  return field === null ? stay(model) : stay({ ...model, dialog: { ...dialog, field, trouble: null } })
}

export const pastedInTask = (model: Model, dialog: TaskDialog, text: string): Step =>
  dialog.step === "saving"
    ? stay(model)
    : stay({ ...model, dialog: { ...dialog, field: insert(dialog.field, text, limits), trouble: null } })

/** What can be started, in the order of the keys 1, 2. The last leaves everything as it is. */
export const startOptions = ({ id, open }: StartTasksDialog): ReadonlyArray<string> => [
  `Do this task only (${id})`,
  `Do all open tasks of this folder, one after the other (${open})`,
  "Leave it"
]

const start = (model: Model, dialog: StartTasksDialog, option: number): Step => {
  const closed = { ...model, dialog: null }
  if (option > 1) return stay(closed)
  const argv = [
    "task",
    "run",
    ...(option === 0 ? ["one", "--id", dialog.id] : ["loop", "--resume"]),
    "-C",
    dialog.folder
  ]
  return asking(withToast(closed, "Starting…"), {
    _tag: "Launch",
    argv,
    input: null,
    from: null,
    twin: twinOf(model, argv)
  })
}

export const pressedInStartTasks = (model: Model, dialog: StartTasksDialog, key: string): Step => {
  const count = startOptions(dialog).length
  const chosen = (option: number): Step =>
    stay({ ...model, dialog: { ...dialog, option: Math.min(count - 1, Math.max(0, option)) } })
  switch (key) {
    case "escape":
    case "ctrl+c":
    case "q":
      return stay({ ...model, dialog: null })
    case "enter":
      return start(model, dialog, dialog.option)
    case "up":
    case "k":
      return chosen(dialog.option - 1)
    case "down":
    case "j":
    case "tab":
      return chosen(dialog.option + 1)
  }
  return /^[1-9]$/.test(key) && Number(key) <= count ? start(model, dialog, Number(key) - 1) : stay(model)
}

// ---------------------------------------------------------------- what the store tells

type Of<Tag extends Message["_tag"]> = Extract<Message, { readonly _tag: Tag }>

export const tasksRead = (model: Model, { page }: Of<"TasksRead">): Step =>
  stay({ ...model, tasks: { ...(model.tasks ?? noTasks), ...page, loaded: true, trouble: null } })

export const tasksFailed = (model: Model, { why }: Of<"TasksFailed">): Step =>
  stay({ ...model, tasks: { ...(model.tasks ?? noTasks), trouble: why } })

export const taskSaved = (model: Model, { id, twin, why }: Of<"TaskSaved">): Step => {
  const { dialog } = model
  if (dialog?.kind !== "task") return stay(model)
  if (id === null) return stay({ ...model, dialog: { ...dialog, step: "ready", trouble: why } })
  const drafts = new Map(model.drafts)
  if (dialog.id === null) drafts.delete("task")
  const tasks: TasksView = { ...(model.tasks ?? noTasks), selected: id }
  const text = `${dialog.id === null ? "Added" : "Changed"} ${id} · same as: ${twin}`
  return stay(withToast({ ...model, tasks, drafts, dialog: null }, text, "good"))
}
