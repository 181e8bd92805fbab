import { chmod, mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { program, tempFolder } from "../testing/support.js"
import { nativeBehind, nativeCandidates } from "./native.js"

const [platform, arch] = ["linux", "x64"] as const

describe("the program behind codex's launcher", () => {
  it("is looked for in the platform's package, in every node_modules above", () => {
    const found = nativeCandidates("/p/node_modules/@openai/codex/bin/codex.js", platform, arch)
    const vendor = "vendor/x86_64-unknown-linux-musl/bin/codex"
    assert.include(found, `/p/node_modules/@openai/codex-linux-x64/${vendor}`)
    assert.include(found, `/p/node_modules/@openai/codex/node_modules/@openai/codex-linux-x64/${vendor}`)
    assert.strictEqual(found.at(-1), `/p/node_modules/@openai/codex/${vendor}`)
  })

  it("is not looked for behind another file, or on a platform without one", () => {
    assert.deepStrictEqual(nativeCandidates("/usr/bin/codex", platform, arch), [])
    assert.deepStrictEqual(nativeCandidates("/p/@openai/codex/bin/codex.js", "plan9", "mips"), [])
  })

  it.scopedLive("is run instead of the launcher that PATH leads to", () =>
    Effect.gen(function* () {
      const root = yield* tempFolder
      const launcher = join(root, "node_modules/@openai/codex/bin/codex.js")
      const link = join(root, "bin", "codex")
      const native = nativeCandidates(launcher, process.platform, process.arch).find((path) =>
        path.startsWith(join(root, "node_modules/@openai/codex-"))
      )
      if (native === undefined) throw new Error("no native program is known for this platform")
      yield* Effect.promise(async () => {
        for (const path of [launcher, link, native]) await mkdir(dirname(path), { recursive: true })
        await writeFile(launcher, "", { mode: 0o755 })
        await symlink(launcher, link)
      })
      assert.strictEqual(yield* nativeBehind(link), link)
      yield* Effect.promise(() => writeFile(native, ""))
      assert.strictEqual(yield* nativeBehind(link), link)
      yield* Effect.promise(() => chmod(native, 0o755))
      assert.strictEqual(yield* nativeBehind(link), native)
      const other = yield* program(root, "codex", "#!/bin/sh\n")
      assert.strictEqual(yield* nativeBehind(other), other)
    })
  )
})
