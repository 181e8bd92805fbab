import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { defaultPreferences } from "../model/Model.js"
import { decodePreferences, loadPreferences, savePreferences } from "./preferences.js"
import { editorOf, editText, nativeCopy, pagerOf, pageText } from "./programs.js"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "alluka-tui-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("preferences", () => {
  it("come back as they were, from a private file", () => {
    const file = join(folder, "new", "state.json")
    const liked = { ...defaultPreferences, sort: "agent", reverse: true, time: "absolute", wrap: false } as const
    savePreferences(file, liked)
    expect(loadPreferences(file)).toEqual(liked)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, "new"))).toEqual(["state.json"])
    savePreferences(file, defaultPreferences)
    expect(loadPreferences(file)).toEqual(defaultPreferences)
  })

  it("are as usual where the file is missing, damaged, or says what is not there", () => {
    expect(loadPreferences(join(folder, "none"))).toEqual(defaultPreferences)
    expect(loadPreferences(null)).toEqual(defaultPreferences)
    for (const text of ["", "{", "null", "[]", '"a"', '{"sort":"colour","wrap":"yes","theme":7}']) {
      expect(decodePreferences(text)).toEqual(defaultPreferences)
    }
    expect(decodePreferences('{"sort":"age","other":1}')).toEqual({ ...defaultPreferences, sort: "age" })
  })

  it("that cannot be kept are lost without a word", () => {
    const file = join(folder, "file")
    writeFileSync(file, "")
    expect(() => savePreferences(join(file, "state.json"), defaultPreferences)).not.toThrow()
  })
})

describe("a person's own programs", () => {
  it("are the ones they named", () => {
    expect(editorOf({ VISUAL: "code --wait", EDITOR: "vi" })).toBe("code --wait")
    expect(editorOf({ VISUAL: " ", EDITOR: "nano" })).toBe("nano")
    expect(editorOf({})).toBe("vi")
    expect(pagerOf({ PAGER: "most" })).toBe("most")
    expect(pagerOf({})).toBe("less")
  })

  it("edit a text in a private file that is gone afterwards", () => {
    const seen = join(folder, "seen")
    const env = { ...process.env, VISUAL: `sh -c 'ls -l "$1" > ${seen}; echo again >> "$1"' sh` }
    expect(editText("first\n", env)).toBe("first\nagain\n")
    expect(readFileSync(seen, "utf8")).toMatch(/^-rw-------/)
    expect(existsSync(readFileSync(seen, "utf8").trim().split(" ").at(-1) ?? "")).toBe(false)
  })

  it("leave the text as it was where they fail", () => {
    expect(editText("first", { ...process.env, VISUAL: "false" })).toBeNull()
    expect(editText("first", { ...process.env, VISUAL: "/no/such/editor" })).toBeNull()
    expect(pageText("text", { ...process.env, PAGER: "/no/such/pager" })).toContain("could not be used")
  })

  it("copy nothing to a clipboard that the person does not look at", () => {
    expect(nativeCopy("text", { SSH_CONNECTION: "1 2 3 4", DISPLAY: ":0" }, "linux")).toBeNull()
    expect(nativeCopy("text", {}, "linux")).toBeNull()
  })
})
