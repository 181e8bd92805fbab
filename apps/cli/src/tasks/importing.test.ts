import { Task } from "@alluka/core"
import { describe, expect, it } from "vitest"
import { importedTasks } from "./importing.js"

const into = { cwd: "/w/a", prefix: "T", withGates: false, gateTimeoutMs: 1000 }
const read = (value: unknown, change: Partial<typeof into> = {}) =>
  importedTasks(JSON.stringify(value), { ...into, ...change })
const tasks = (value: unknown, change: Partial<typeof into> = {}) => {
  const found = read(value, change)
  return typeof found === "string" ? expect.fail(found) : found.tasks
}

describe("a file of tasks", () => {
  it("is a list of texts or objects, or an object with such a list", () => {
    expect(tasks(["one", { prompt: "two", title: "2" }]).map(({ prompt, title }) => [prompt, title])).toEqual([
      ["one", null],
      ["two", "2"]
    ])
    expect(tasks({ kind: "task_list", version: 1, items: ["one"] })).toHaveLength(1)
    expect(tasks([])).toEqual([])
  })

  it("leaves out what is left out, and puts its folders where the tasks go", () => {
    const [task] = tasks([
      { prompt: "x", phases: 2, settings: { provider: "claude" }, phase_settings: [{ phase: "plan", model: "opus" }] },
      { prompt: "y", add_dirs: ["../lib", "/abs"] }
    ])
    expect(task?.plan).toEqual({
      phases: 2,
      settings: { ...Task.noSettings, provider: "claude" },
      ofPhases: { plan: { ...Task.noSettings, model: "opus" } },
      addDirs: [],
      gate: null
    })
    expect(tasks([{ prompt: "y", add_dirs: ["../lib", "/abs"] }])[0]?.plan.addDirs).toEqual(["/w/lib", "/abs"])
  })

  it("begins anew what was being done, and keeps what is settled", () => {
    const statuses = (["todo", "doing", "done", "rejected"] as const).map((status) => ({ prompt: "x", status }))
    expect(tasks(statuses).map(({ status }) => status)).toEqual(["todo", "todo", "done", "rejected"])
  })

  it("has its commands taken only where that is said, and its wish for none always", () => {
    const gated = [
      { prompt: "x", gate: { argv: ["make"] } },
      { prompt: "y", gate: "none" }
    ]
    expect(read(gated)).toMatchObject({
      gatesLeftOut: 1,
      tasks: [{ plan: { gate: null } }, { plan: { gate: "none" } }]
    })
    expect(tasks(gated, { withGates: true })[0]?.plan.gate).toEqual({ argv: ["make"], shell: false, timeoutMs: 1000 })
  })

  it("may hold more than is read where it was exported, and nothing unknown where a person wrote it", () => {
    expect(tasks([{ kind: "task", version: 2, prompt: "x", invented_later: true }])).toHaveLength(1)
    expect(read([{ prompt: "x", phase: 3 }])).toMatch(/^task 1 of it is none: it has no field "phase"; it has prompt, /)
  })

  it.each([
    ["nothing but a text", "x", /no list of tasks/],
    ["a number", ["ok", 3], /^task 2 of it is none: it is neither/],
    ["no prompt", [{ title: "x" }], /it has no prompt/],
    ["a prompt of another kind", [{ prompt: 3 }], /its field "prompt" cannot be 3/],
    ["four phases", [{ prompt: "x", phases: 4 }], /its field "phases" cannot be 4/],
    ["an unknown permission", [{ prompt: "x", settings: { permission: "all" } }], /its field "settings" cannot be/],
    ["a command of nothing", [{ prompt: "x", gate: { argv: [] } }], /its field "gate" cannot be/]
  ] as const)("is refused with the place of the fault: %s", (_, value, said) => {
    expect(read(value)).toMatch(said)
  })

  it("that is no JSON says so", () => {
    expect(importedTasks("{", into)).toMatch(/no valid JSON/)
  })
})
