import { describe, expect, it } from "vitest"
import { apply, modelOf, press } from "../testing/samples.js"
import { unavailable } from "../update/sentences.js"
import { keysPage } from "./docs.js"
import { bindingOf, contexts, keyTable, sections } from "./keyTable.js"

describe("the key table", () => {
  it("gives each key one meaning in each place", () => {
    for (const context of contexts) {
      const keys = keyTable.filter((binding) => binding.contexts.includes(context)).flatMap(({ keys: own }) => own)
      expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
    }
  })

  it("takes no key that a terminal, tmux or screen keeps for itself", () => {
    const taken = keyTable.flatMap(({ keys }) => keys)
    for (const key of ["ctrl+s", "ctrl+q", "ctrl+a", "ctrl+b", "f1", "ctrl+j", "ctrl+m", "ctrl+i", "ctrl+h"])
      expect(taken).not.toContain(key)
  })

  it("marks every key that opens a dialog with an ellipsis, and no other", () => {
    const opening = new Set(["resume", "cancel", "newRun", "followUp", "rename", "taskAdd", "taskEdit", "taskStart"])
    for (const { action, title } of keyTable)
      expect(`${action} ${title.endsWith("…")}`).toBe(`${action} ${opening.has(action)}`)
  })

  it("does something for every key, in every place", () => {
    for (const context of contexts) {
      const start =
        context === "list" ? modelOf() : press(modelOf(), { log: "l", tasks: "t", detail: "enter" }[context])
      for (const { action, keys, contexts: where } of keyTable) {
        if (!where.includes(context)) continue
        for (const key of keys) {
          expect(bindingOf(context, key)?.action).toBe(action)
          expect(() => press(start, key)).not.toThrow()
        }
      }
    }
  })

  it("says why an action cannot be done, in a sentence", () => {
    const empty = modelOf([])
    const reasons = keyTable.flatMap(({ action }) => unavailable(empty, action) ?? [])
    expect(reasons.length).toBeGreaterThan(8)
    for (const reason of reasons) expect(reason).toMatch(/^[A-Z✓●].*[.]$/)
  })

  it("tells the same as the keys' page of the documentation", () => {
    const page = keysPage()
    for (const section of sections) expect(page).toContain(`### ${section}`)
    for (const { title } of keyTable) expect(page).toContain(` ${title} `)
    expect(page).toContain("`alluka resume ID`")
  })

  it("is what the help shows", () => {
    const help = press(modelOf(undefined, { columns: 120, rows: 80 }), "?")
    expect(help.dialog?.kind).toBe("help")
    expect(apply(help, { _tag: "Pressed", key: "escape" }).dialog).toBeNull()
  })
})
