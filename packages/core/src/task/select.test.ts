import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { endedCheckpoint, idOf, noon, sampleCheckpoint } from "../testing/samples.js"
import { classify, damagedSession, savedSession, targetOf } from "./classify.js"
import { reordered } from "./order.js"
import { nextTask, unfinished } from "./select.js"
import { noPlan, type Task, taskId } from "./Task.js"
import type { TaskLineage } from "./TaskStore.js"

const task = (number: number, change: Partial<Task> = {}): Task => ({
  id: taskId("T", number),
  folder: "/w/a",
  cwd: "/w/a",
  position: number,
  title: `task ${number}`,
  prompt: `task ${number}`,
  promptRedacted: false,
  status: "todo",
  plan: noPlan,
  labels: {},
  createdAt: noon,
  updatedAt: noon,
  startedAt: null,
  doneAt: null,
  run: null,
  ...change
})
const root = idOf("aaaa")
const ran = (state: NonNullable<Task["run"]>["state"]): Task["run"] => ({ id: root, rootId: root, state })
const none: ReadonlySet<string> = new Set()

describe("the next task", () => {
  it("is the first that is to be done and was not begun by this loop", () => {
    const tasks = [task(1, { status: "done" }), task(2), task(3)]
    expect(nextTask(tasks, none)?.id).toBe("T-0002")
    expect(nextTask(tasks, new Set(["T-0002"]))?.id).toBe("T-0003")
    expect(nextTask(tasks, new Set(["T-0002", "T-0003"]))).toBeNull()
  })

  it.each([
    ["running", null],
    ["interrupted", null],
    ["failed", null],
    ["cancelled", "T-0001"],
    ["completed", "T-0001"],
    [null, "T-0001"]
  ] as const)("a task that is being done, its run %s: %s", (state, expected) => {
    expect(nextTask([task(1, { status: "doing", run: ran(state) })], none)?.id ?? null).toBe(expected)
  })

  it("leaves what can go on to a resume, and says which that is", () => {
    const tasks = [
      task(1, { status: "doing", run: ran("failed") }),
      task(2, { status: "doing", run: ran("running") }),
      task(3, { status: "todo", run: ran("interrupted") })
    ]
    expect(unfinished(tasks).map(({ id }) => id)).toEqual(["T-0001"])
  })
})

describe("the saved session", () => {
  const lineage = (number: number, change: Partial<TaskLineage> = {}): TaskLineage => {
    const checkpoint = endedCheckpoint("owner_lost", { id: root, rootId: root, taskId: `T-000${number}` })
    return {
      taskId: `T-000${number}`,
      rootId: root,
      task: task(number, { status: "doing", run: ran("interrupted") }),
      attempts: [checkpoint],
      damaged: [],
      ...change
    }
  }

  it("is the newest of a task that is being done, before any newer one that is not", () => {
    const settled = lineage(2, { task: task(2, { status: "rejected", run: ran("interrupted") }) })
    expect(savedSession([settled, lineage(1)])?.taskId).toBe("T-0001")
    expect(savedSession([settled])?.taskId).toBe("T-0002")
    expect(savedSession([])).toBeNull()
  })

  it("is what runs, before what could go on", () => {
    const running = lineage(2, { attempts: [sampleCheckpoint({ id: root, rootId: root, taskId: "T-0002" })] })
    expect(savedSession([lineage(1), running])).toMatchObject({ taskId: "T-0002", checkpoint: { state: "running" } })
  })

  it("is none where the newest run of any task completed", () => {
    const done = sampleCheckpoint({ id: root, rootId: root, state: "completed" })
    const completed = lineage(1, { task: task(1, { status: "done", run: ran("completed") }), attempts: [done] })
    expect(savedSession([completed])).toBeNull()
  })

  it("can be looked for of one task only", () => {
    expect(savedSession([lineage(1), lineage(2)], "T-0002")?.taskId).toBe("T-0002")
    expect(savedSession([lineage(1)], "T-0003")).toBeNull()
  })

  it("is timed out exactly at the limit, and never by a clock that went back", () => {
    const saved = savedSession([lineage(1)])
    const activity = saved?.checkpoint.progress.position.lastActivityAt ?? 0
    expect(classify(saved, activity + 999, 1000)).toBe("valid")
    expect(classify(saved, activity + 1000, 1000)).toBe("timed_out")
    expect(classify(saved, activity - 5000, 1000)).toBe("valid")
    expect(classify(null, noon, 1000)).toBe("no_session")
  })

  it.each([
    ["todo", "stale", "ok"],
    ["done", "stale", "terminal"],
    ["rejected", "stale", "terminal"]
  ] as const)("of a task that is %s is %s, its target %s", (status, kind, target) => {
    const saved = savedSession([lineage(1, { task: task(1, { status, run: ran("interrupted") }) })])
    expect([classify(saved, noon, 1e12), targetOf(saved)]).toEqual([kind, target])
  })

  it("cannot be read where the record that would go on is damaged, or none of them leads there", () => {
    const unreadable = lineage(1, { attempts: [], damaged: [root] })
    expect(savedSession([unreadable])).toBeNull()
    expect(damagedSession([unreadable])).toMatchObject({ taskId: "T-0001", damaged: root })
    expect(damagedSession([unreadable], "T-0002")).toBeNull()
    // The root is damaged, and the attempt after it is no tip without it.
    const [later, first] = [idOf("bbbb"), root]
    const headless = lineage(1, {
      task: task(1, { status: "doing", run: { id: later, rootId: first, state: "interrupted" } }),
      attempts: [endedCheckpoint("owner_lost", { id: later, rootId: first, resumedFrom: first, taskId: "T-0001" })],
      damaged: [first]
    })
    expect(damagedSession([headless])).toMatchObject({ damaged: first })
    expect(savedSession([headless])).toBeNull()
  })

  it("is another one where only that can be read, and a settled task's damage is nobody's concern", () => {
    const unreadable = lineage(1, { attempts: [], damaged: [root] })
    expect(savedSession([unreadable, lineage(2)])?.taskId).toBe("T-0002")
    const settled = lineage(1, {
      attempts: [],
      damaged: [root],
      task: task(1, { status: "done", run: ran("completed") })
    })
    expect(damagedSession([settled])).toBeNull()
  })

  it("of a task that is gone has nothing to work on", () => {
    const saved = savedSession([lineage(1, { task: null })])
    expect([classify(saved, noon, 1e12), targetOf(saved)]).toEqual(["stale", "missing"])
  })
})

describe("another order", () => {
  it("keeps every other task where it was to the rest", () => {
    const ids = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f"), { minLength: 2 })
    fc.assert(
      fc.property(ids, fc.nat(), fc.nat(), fc.integer({ min: -3, max: 12 }), (all, one, two, position) => {
        const id = all[one % all.length] ?? "a"
        const beside = taskId("T", two + 1)
        const others = all.filter((each) => each !== id)
        for (const place of [{ at: "top" }, { at: "bottom" }, { position }, { before: beside }] as const) {
          const moved = reordered(all, id, place)
          expect(moved.filter((each) => each !== id)).toEqual(others)
          expect([...moved].sort()).toEqual([...all].sort())
        }
        expect(reordered(all, id, { at: "top" })[0]).toBe(id)
        expect(reordered(all, id, { at: "bottom" }).at(-1)).toBe(id)
      })
    )
  })
})
