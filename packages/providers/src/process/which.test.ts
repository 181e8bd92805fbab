import { chmod, mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { program, tempFolder } from "../testing/support.js"
import { candidates, findProgram } from "./which.js"

describe("finding a program", () => {
  it("looks only in absolute folders of PATH, and takes a path as it is", () => {
    assert.deepStrictEqual(candidates("x", "/a::.:b:/c", "/w"), ["/a/x", "/c/x"])
    assert.deepStrictEqual(candidates("./x", "/a", "/w"), ["/w/x"])
    assert.deepStrictEqual(candidates("/p/x", "/a", "/w"), ["/p/x"])
    assert.deepStrictEqual(candidates("", "/a", "/w"), [])
    assert.deepStrictEqual(candidates("a\0b", "/a", "/w"), [])
  })

  it.scopedLive("passes over folders, files that may not be run, and dangling links", () =>
    Effect.gen(function* () {
      const root = yield* tempFolder
      const [folder, unrunnable, dangling, good] = ["a", "b", "c", "d"].map((name) => join(root, name)) as [
        string,
        string,
        string,
        string
      ]
      yield* Effect.promise(async () => {
        for (const each of [join(folder, "agent"), unrunnable, dangling, good]) await mkdir(each, { recursive: true })
        await symlink("/nowhere", join(dangling, "agent"))
      })
      const text = yield* program(unrunnable, "agent", "#!/bin/sh\n")
      yield* Effect.promise(() => chmod(text, 0o644))
      const path = yield* program(good, "agent", "#!/bin/sh\n")
      assert.deepStrictEqual(
        yield* findProgram("agent", [folder, unrunnable, dangling, good].join(":")),
        Option.some(path)
      )
      assert.deepStrictEqual(yield* findProgram("agent", [folder, unrunnable, dangling].join(":")), Option.none())
    })
  )
})
