import { CheckpointStore, OwnerIdentity, Task, TaskStore } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  at,
  createRunning,
  databaseIn,
  endAs,
  newDraft,
  newEvent,
  onNewStore,
  plant,
  resumeDraft,
  spec,
  temporaryHome,
  withStore
} from "../support/fixtures.js"

const folder = "/work/a"

const draft = (title: string, changes: Partial<TaskStore.TaskDraft> = {}): TaskStore.TaskDraft => ({
  prefix: "T",
  folder,
  cwd: folder,
  title,
  prompt: `do ${title}`,
  promptRedacted: false,
  status: "todo",
  labels: {},
  plan: Task.noPlan,
  ...changes
})

const add = (...titles: ReadonlyArray<string>) =>
  Effect.flatMap(TaskStore.TaskStore, (store) =>
    store.add(
      titles.map((title) => draft(title)),
      at
    )
  )

const statusOf = (id: Task.TaskId) =>
  Effect.flatMap(TaskStore.TaskStore, (store) => Effect.map(store.get(id), (task) => Option.getOrThrow(task).status))

const order = Effect.flatMap(TaskStore.TaskStore, (store) =>
  Effect.map(store.list({ folder, statuses: [] }), ({ items }) => items.map(({ title }) => title))
)

const only = <A>(items: ReadonlyArray<A>): A => {
  const [first] = items
  if (first === undefined) throw new Error("nothing there")
  return first
}

const self = Effect.flatMap(OwnerIdentity.OwnerIdentity, (owners) => owners.self)

describe("tasks", () => {
  it.scoped("get ids that no other task of the store ever had", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* TaskStore.TaskStore
        const [one, two] = yield* add("one", "two")
        assert.deepStrictEqual([one?.id, two?.id], ["T-0001", "T-0002"])
        if (two !== undefined) yield* store.remove([two.id])
        const [three] = yield* store.add([draft("three", { prefix: "BUG", folder: "/work/b" })], at)
        assert.strictEqual(three?.id, "BUG-0003")
        assert.strictEqual(three?.position, 1)
      })
    )
  )

  it.scoped("are stored all or none", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* TaskStore.TaskStore
        const broken = { ...draft("two"), status: "nonsense" as "todo" }
        yield* Effect.flip(store.add([draft("one"), broken], at))
        assert.deepStrictEqual(yield* order, [])
      })
    )
  )

  it.scoped("come back as they were stored", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* TaskStore.TaskStore
        const plan: Task.Plan = {
          phases: 3,
          settings: { ...Task.noSettings, provider: "claude", permission: "full" },
          ofPhases: { plan: { ...Task.noSettings, model: "opus[1m]" } },
          addDirs: ["/x"],
          gate: { argv: ["npm", "test"], shell: false, timeoutMs: 1000 }
        }
        const task = only(yield* store.add([draft("one", { plan, labels: { area: "cli" } })], at))
        assert.deepStrictEqual(task.plan, plan)
        assert.deepStrictEqual(Option.getOrNull(yield* store.get(task.id)), task)
        assert.deepInclude(task, { status: "todo", createdAt: at, run: null, doneAt: null })
      })
    )
  )

  it.scoped("move to where they are told, in their own folder", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* TaskStore.TaskStore
        const [a, b, c] = (yield* add("a", "b", "c")).map(({ id }) => id)
        if (a === undefined || b === undefined || c === undefined) return assert.fail("three were added")
        yield* store.move(c, { at: "top" }, at)
        assert.deepStrictEqual(yield* order, ["c", "a", "b"])
        yield* store.move(c, { after: a }, at)
        assert.deepStrictEqual(yield* order, ["a", "c", "b"])
        yield* store.move(b, { before: a }, at)
        assert.deepStrictEqual(yield* order, ["b", "a", "c"])
        yield* store.move(b, { position: 99 }, at)
        assert.deepStrictEqual(yield* order, ["a", "c", "b"])
        const elsewhere = only(yield* store.add([draft("x", { folder: "/work/b" })], at))
        const failure = yield* Effect.flip(store.move(a, { before: elsewhere.id }, at))
        assert.strictEqual(failure._tag, "TaskNotFound")
      })
    )
  )

  it.scoped("change only in what is named", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* TaskStore.TaskStore
        const task = only(yield* add("one"))
        const changed = yield* store.update(task.id, { title: "other" }, at + 5)
        assert.deepStrictEqual(changed, { ...task, title: "other", updatedAt: at + 5 })
        const done = yield* store.update(task.id, { status: "done" }, at + 6)
        assert.strictEqual(done.doneAt, at + 6)
        const again = yield* store.update(task.id, { status: "todo" }, at + 7)
        assert.strictEqual(again.doneAt, null)
      })
    )
  )

  it.scoped("a damaged row hides none of the others", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      yield* withStore(home, add("one", "two"))
      plant(databaseIn(home), (database) => database.exec("UPDATE task SET plan = '{' WHERE id = 'T-0001'"))
      yield* withStore(
        home,
        Effect.gen(function* () {
          const store = yield* TaskStore.TaskStore
          const page = yield* store.list({ folder, statuses: [] })
          assert.deepStrictEqual([page.items.map(({ id }) => id), page.skipped], [["T-0002"], 1])
          const failure = yield* Effect.flip(store.get(Task.taskId("T", 1)))
          assert.strictEqual(failure._tag, "RecordCorrupt")
        })
      )
    })
  )
})

describe("a run of a task", () => {
  it.scoped("makes it doing, and its end settles it, in the transactions of the checkpoint", () =>
    onNewStore(
      Effect.gen(function* () {
        for (const [state, after] of [
          ["completed", "done"],
          ["cancelled", "todo"],
          ["interrupted", "doing"],
          ["failed", "doing"]
        ] as const) {
          const task = only(yield* add(state))
          const run = yield* createRunning({ taskId: task.id })
          assert.strictEqual(yield* statusOf(task.id), "doing")
          yield* endAs(run, state)
          assert.strictEqual(yield* statusOf(task.id), after)
        }
      })
    )
  )

  it.scoped("cannot be begun twice, nor for a task that is done", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const tasks = yield* TaskStore.TaskStore
        const owner = yield* self
        const task = only(yield* add("one"))
        const run = yield* createRunning({ taskId: task.id })
        const second = yield* Effect.flip(
          store.create(yield* newDraft({ taskId: task.id }), owner, newEvent("created"))
        )
        assert.deepInclude(second, { _tag: "Conflict", on: "task", holder: run.id })
        yield* endAs(run, "completed")
        const third = yield* Effect.flip(store.create(yield* newDraft({ taskId: task.id }), owner, newEvent("created")))
        assert.deepInclude(third, { _tag: "Conflict", on: "task", holder: null })
        assert.strictEqual(yield* statusOf(task.id), "done")
        assert.strictEqual((yield* tasks.list({ folder, statuses: ["done"] })).items.length, 1)
      })
    )
  )

  it.scoped("keeps it from being settled or removed by hand", () =>
    onNewStore(
      Effect.gen(function* () {
        const tasks = yield* TaskStore.TaskStore
        const task = only(yield* add("one"))
        const run = yield* createRunning({ taskId: task.id })
        assert.deepInclude(yield* Effect.flip(tasks.update(task.id, { status: "done" }, at)), {
          _tag: "TaskBusy",
          run: run.id
        })
        assert.deepInclude(yield* Effect.flip(tasks.remove([task.id])), { _tag: "TaskBusy" })
        assert.isFalse(yield* tasks.putBack(task.id, at))
        yield* tasks.update(task.id, { title: "a better title" }, at)
        yield* endAs(run, "interrupted")
        assert.isTrue(yield* tasks.putBack(task.id, at))
        assert.strictEqual(yield* statusOf(task.id), "todo")
      })
    )
  )

  it.scoped("an end of an earlier run leaves a task alone that a later run has", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const task = only(yield* add("one"))
        const first = yield* createRunning({ taskId: task.id })
        yield* endAs(first, "interrupted")
        const claimed = yield* store.claim(
          yield* resumeDraft(first, { taskId: task.id }),
          yield* self,
          ["interrupted"],
          newEvent("created")
        )
        const second = Option.getOrThrow(claimed)
        yield* Effect.flip(endAs(first, "completed"))
        assert.strictEqual(yield* statusOf(task.id), "doing")
        yield* endAs(second, "completed")
        assert.strictEqual(yield* statusOf(task.id), "done")
      })
    )
  )

  it.scoped("whose owner died with a cancel stored goes back on the list; without, it can go on", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const [one, two] = yield* add("one", "two")
        if (one === undefined || two === undefined) return assert.fail("two were added")
        const cancelled = yield* createRunning({ taskId: one.id })
        const lost = yield* createRunning({ taskId: two.id })
        yield* store.requestCancel(cancelled.id, { at, by: "ada", code: "cancelled_by_user" })
        yield* store.reconcile([{ id: lost.owner.id, cause: "owner_lost" }], at, 500)
        assert.deepStrictEqual([yield* statusOf(one.id), yield* statusOf(two.id)], ["todo", "doing"])
      })
    )
  )
})

describe("the conversations of a folder", () => {
  it.scoped("are those of tasks that are being done and the newest of all, newest first", () =>
    onNewStore(
      Effect.gen(function* () {
        const tasks = yield* TaskStore.TaskStore
        const [one, two, three] = yield* add("one", "two", "three")
        if (one === undefined || two === undefined || three === undefined) return assert.fail("three were added")
        const first = yield* createRunning({ taskId: one.id })
        yield* endAs(first, "interrupted")
        const second = yield* createRunning({ taskId: two.id })
        yield* endAs(second, "completed")
        const third = yield* createRunning({ taskId: three.id })
        yield* endAs(third, "completed")
        yield* endAs(yield* createRunning({ spec: spec("/work/b") }), "interrupted")
        const found = yield* tasks.lineages(folder)
        assert.deepStrictEqual(
          found.map(({ taskId, attempts }) => [taskId, attempts.length]),
          [
            [three.id, 1],
            [one.id, 1]
          ]
        )
        yield* tasks.remove([three.id])
        assert.isNull((yield* tasks.lineages(folder))[0]?.task)
      })
    )
  )

  it.scoped("name the attempts that cannot be read", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const [one, run] = yield* withStore(
        home,
        Effect.gen(function* () {
          const task = only(yield* add("one"))
          const begun = yield* createRunning({ taskId: task.id })
          yield* endAs(begun, "interrupted")
          return [task, begun] as const
        })
      )
      plant(databaseIn(home), (database) => database.exec("UPDATE checkpoint SET progress = '{'"))
      const found = yield* withStore(
        home,
        Effect.flatMap(TaskStore.TaskStore, (tasks) => tasks.lineages(folder))
      )
      assert.deepStrictEqual(
        found.map(({ task, rootId, attempts, damaged }) => [task?.id, rootId, attempts, damaged]),
        [[one.id, run.id, [], [run.id]]]
      )
    })
  )
})

describe("a loop", () => {
  const order = (id: string, changes: Partial<TaskStore.LoopOrder> = {}): TaskStore.LoopOrder => ({
    id,
    folder,
    maxTasks: 3,
    replaces: null,
    ...changes
  })

  it.scoped("is the only one of its folder until it ends", () =>
    onNewStore(
      Effect.gen(function* () {
        const tasks = yield* TaskStore.TaskStore
        const owner = yield* self
        const taken = yield* tasks.claimLoop(order("l1"), owner, at)
        assert.deepInclude(taken, { _tag: "Taken" })
        assert.deepInclude(taken.loop, { id: "l1", maxTasks: 3, tasksCompleted: 0, owner })
        const held = yield* tasks.claimLoop(order("l2"), owner, at)
        assert.strictEqual(held._tag, "Held")
        assert.strictEqual((yield* tasks.claimLoop(order("l3", { folder: "/work/b" }), owner, at))._tag, "Taken")
        const replaced = yield* tasks.claimLoop(order("l2", { replaces: "l1" }), owner, at)
        assert.strictEqual(replaced._tag, "Taken")
        assert.isNotNull(Option.getOrThrow(yield* tasks.loop("l1")).endedAt)
        yield* tasks.endLoop("l2", at)
        assert.strictEqual((yield* tasks.claimLoop(order("l4"), owner, at))._tag, "Taken")
      })
    )
  )

  it.scoped("counts on when it goes on, and counts in the transaction of each end", () =>
    onNewStore(
      Effect.gen(function* () {
        const tasks = yield* TaskStore.TaskStore
        const owner = yield* self
        yield* tasks.claimLoop(order("l1"), owner, at)
        const loop = { id: "l1", maxTasks: 3, tasksCompleted: 0, iterationsPlanned: 3, iterationsCompleted: 0 }
        for (const state of ["completed", "failed", "interrupted", "completed"] as const) {
          const task = only(yield* add(state))
          yield* endAs(yield* createRunning({ taskId: task.id, spec: { ...spec(folder), loop } }), state)
        }
        yield* tasks.endLoop("l1", at)
        const again = yield* tasks.claimLoop(order("l1", { maxTasks: null }), owner, at)
        assert.deepInclude(again.loop, { tasksCompleted: 2, iterationsCompleted: 3, maxTasks: null, endedAt: null })
      })
    )
  )

  it.scoped("is asked to stop by anybody, and begins without that wish again", () =>
    onNewStore(
      Effect.gen(function* () {
        const tasks = yield* TaskStore.TaskStore
        const owner = yield* self
        assert.isTrue(Option.isNone(yield* tasks.requestStop(folder, at)))
        yield* tasks.claimLoop(order("l1"), owner, at)
        yield* tasks.requestStop(folder, at + 1)
        yield* tasks.requestStop(folder, at + 2)
        assert.strictEqual(Option.getOrThrow(yield* tasks.openLoop(folder)).stopRequestedAt, at + 1)
        yield* tasks.endLoop("l1", at)
        assert.isTrue(Option.isNone(yield* tasks.openLoop(folder)))
        assert.isNull((yield* tasks.claimLoop(order("l1"), owner, at)).loop.stopRequestedAt)
      })
    )
  )
})
