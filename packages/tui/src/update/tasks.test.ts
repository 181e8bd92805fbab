import { describe, expect, it } from "vitest"
import { frameOf } from "../layout/frame.js"
import { lineWidth, plainText } from "../layout/Line.js"
import type { Message } from "../model/Message.js"
import type { Model } from "../model/Model.js"
import { type LoopNow, selectedTask } from "../model/tasks.js"
import { taskOf } from "../testing/fakeTasks.js"
import { apply, idOf, modelOf, press, settings } from "../testing/samples.js"
import { update } from "./update.js"

const tasks = [
  taskOf(1),
  taskOf(2, { status: "doing", run: { id: idOf("7k3m9x2q"), rootId: idOf("7k3m9x2q"), state: "interrupted" } }),
  taskOf(3)
]

const read = (loop: Partial<LoopNow> | null = null): Message => ({
  _tag: "TasksRead",
  page: {
    items: tasks,
    skipped: 0,
    loops: new Map(
      loop === null
        ? []
        : [
            [
              tasks[0]?.folder ?? "",
              { pid: 41, since: 0, liveness: "Alive", stopping: false, tasksCompleted: 1, ...loop }
            ]
          ]
    )
  }
})

const opened = (loop: Partial<LoopNow> | null = null): Model => apply(press(modelOf(), "t"), read(loop))
const asked = (model: Model, key: string) => update(model, { _tag: "Pressed", key })[1]
const toastOf = (model: Model, key: string) => press(model, key).toast?.text

describe("the task lists", () => {
  it("are read while they are looked at, and no longer", () => {
    expect(asked(modelOf(), "t")).toContainEqual({ _tag: "WatchTasks", on: true })
    expect(asked(opened(), "escape")).toContainEqual({ _tag: "WatchTasks", on: false })
    expect(asked(opened(), "2")).toContainEqual({ _tag: "WatchTasks", on: false })
    expect(asked(opened(), "j")).toEqual([])
  })

  it("move the selection, and keep it through a new reading", () => {
    const second = press(opened(), "j")
    expect(second.tasks === null ? null : selectedTask(second.tasks)?.id).toBe("T-0002")
    const after = apply(second, read())
    expect(after.tasks === null ? null : selectedTask(after.tasks)?.id).toBe("T-0002")
  })

  it("reorder by one place, and say so where there is no place", () => {
    expect(asked(press(opened(), "j"), "K")).toEqual([
      {
        _tag: "MoveTask",
        id: "T-0002",
        place: { before: "T-0001" },
        twin: `${settings.program} task move T-0002 --before T-0001`
      }
    ])
    const moved = press(opened(), "J")
    expect(moved.tasks?.items.map(({ id }) => id)).toEqual(["T-0002", "T-0001", "T-0003"])
    expect(moved.tasks === null ? null : selectedTask(moved.tasks)?.id).toBe("T-0001")
    expect(toastOf(opened(), "K")).toBe("It is the first already.")
  })

  it("add a task by what is typed, lose nothing of it, and keep a draft", () => {
    const typed = apply(press(opened(), "n"), { _tag: "Typed", text: "tidy the garden" })
    expect(asked(typed, "enter")).toEqual([
      {
        _tag: "SaveTask",
        id: null,
        cwd: settings.cwd,
        prompt: "tidy the garden",
        twin: `${settings.program} task add 'tidy the garden'`
      }
    ])
    const left = press(typed, "escape")
    const again = press(left, "n")
    expect(again.dialog?.kind === "task" ? again.dialog.field.text : null).toBe("tidy the garden")
    const saved = apply(press(typed, "enter"), { _tag: "TaskSaved", id: "T-0004", why: null, twin: "TWIN" })
    expect(saved.dialog).toBeNull()
    expect(saved.toast?.text).toBe("Added T-0004 · same as: TWIN")
    const refused = apply(press(typed, "enter"), { _tag: "TaskSaved", id: null, why: "no room", twin: "TWIN" })
    expect(refused.dialog).toMatchObject({ step: "ready", trouble: "no room" })
    expect(press(press(opened(), "n"), "enter").dialog).toMatchObject({ trouble: "Say first what is to be done." })
  })

  it("edit the prompt of the selected task", () => {
    const changed = apply(press(opened(), "e"), { _tag: "Typed", text: ", twice" })
    expect(asked(changed, "enter")).toMatchObject([
      { _tag: "SaveTask", id: "T-0001", prompt: "do what task 1 says, twice" }
    ])
  })

  it("start one task or all of the folder, in a process of their own, and nothing while a run goes on", () => {
    const dialog = press(opened(), "r")
    expect(asked(dialog, "1")).toMatchObject([
      { _tag: "Launch", argv: ["task", "run", "one", "--id", "T-0001", "-C", tasks[0]?.cwd], input: null }
    ])
    expect(asked(dialog, "2")).toMatchObject([
      { _tag: "Launch", argv: ["task", "run", "loop", "--resume", "-C", tasks[0]?.cwd] }
    ])
    expect(asked(dialog, "escape")).toEqual([])
    expect(asked(dialog, "3")).toEqual([])
    expect(toastOf(opened({}), "r")).toBe("A task run is going on here already (pid 41).")
    // One that was cut off is no obstacle.
    expect(press(opened({ liveness: "Dead" }), "r").dialog?.kind).toBe("startTasks")
  })

  it("stop the loop of the folder, once", () => {
    expect(asked(opened({}), "c")).toMatchObject([{ _tag: "StopTasks", cwd: tasks[0]?.cwd }])
    expect(toastOf(opened(), "c")).toBe("No task run is going on in its folder.")
    expect(toastOf(opened({ stopping: true }), "c")).toBe("It was already told to stop.")
  })

  it("reject a task, want it again, and leave one alone that a run has begun", () => {
    expect(asked(opened(), "x")).toMatchObject([{ _tag: "RejectTask", id: "T-0001", status: "rejected" }])
    expect(toastOf(press(opened(), "j"), "x")).toBe("A run of it has begun; stop that first.")
  })

  it("watch the run of a task, and come back to the lists", () => {
    expect(toastOf(opened(), "enter")).toBe("No run of it has begun. r starts it.")
    const run = [...modelOf().runs.values()][0]?.checkpoint
    const own = taskOf(1, { run: run === undefined ? null : { id: run.id, rootId: run.rootId, state: run.state } })
    const watching = press(
      apply(press(modelOf(), "t"), { _tag: "TasksRead", page: { items: [own], loops: new Map(), skipped: 0 } }),
      "enter"
    )
    expect(watching).toMatchObject({ screen: "log", selected: `run:${run?.id}` })
    expect(press(watching, "escape").screen).toBe("tasks")
  })

  it("fit every size", () => {
    for (const columns of [40, 60, 80, 120]) {
      for (const rows of [12, 20, 36]) {
        for (const keys of [[], ["n"], ["r"]]) {
          const model = keys.reduce<Model>((now, key) => press(now, key), {
            ...opened({}),
            tasks: opened().tasks,
            size: { columns, rows }
          })
          const frame = frameOf(model)
          expect(frame.length).toBe(rows - 1)
          for (const line of frame) expect(lineWidth(line), plainText(line)).toBe(columns)
        }
      }
    }
  })
})
