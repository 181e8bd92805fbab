import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../support/fixtures.js"
import { reverts } from "./Reverts.js"
import { workspaces } from "./Workspaces.js"

const git = (folder: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" })

const write = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    Fs.mkdirSync(Path.dirname(Path.join(folder, name)), { recursive: true })
    Fs.writeFileSync(Path.join(folder, name), text)
  }
}

/** Every file of a folder that is not git's own. */
const filesOf = (folder: string, under = ""): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Fs.readdirSync(Path.join(folder, under), { withFileTypes: true }).flatMap((entry) => {
      const name = Path.join(under, entry.name)
      if (entry.name === ".git") return []
      return entry.isDirectory()
        ? Object.entries(filesOf(folder, name))
        : [[name, Fs.readFileSync(Path.join(folder, name), "utf8")]]
    })
  )

const repository = Effect.map(temporaryFolder, (folder) => {
  git(folder, "init", "--quiet", "--initial-branch=main")
  write(folder, { "a.txt": "a\n", "sub/b.txt": "b\n", ".gitignore": "ignored/\n" })
  git(folder, "add", "--all")
  git(folder, "commit", "--quiet", "-m", "first")
  return folder
})

const work = (folder: string): void => {
  write(folder, { "a.txt": "changed by the agent\n", "new/file.txt": "new\n", "ignored/x": "build\n" })
  Fs.rmSync(Path.join(folder, "sub/b.txt"))
}

describe("putting a folder back", () => {
  it.scopedLive("restores what was there, the person's own changes too, and saves what was done as a branch", () =>
    Effect.gen(function* () {
      const folder = yield* repository
      write(folder, { "sub/b.txt": "changed by the person\n", "draft.txt": "not added yet\n" })
      const before = filesOf(folder)
      const workspace = yield* workspaces.resolve(folder)
      yield* reverts.remember(workspace, "T-0001-x")
      assert.deepStrictEqual(filesOf(folder), before)
      assert.strictEqual(git(folder, "diff", "--cached", "--name-only"), "")

      work(folder)
      const after = filesOf(folder)
      const done = yield* reverts.revert(workspace, "T-0001-x")
      assert.strictEqual(done.savedAs, "alluka/T-0001-x")
      assert.strictEqual(done.files, 3)
      assert.deepStrictEqual(filesOf(folder), { ...before, "ignored/x": "build\n" })
      assert.strictEqual(git(folder, "diff", "--name-only").trim(), "sub/b.txt")

      const clone = yield* temporaryFolder
      git(folder, "worktree", "add", "--quiet", Path.join(clone, "saved"), done.savedAs)
      const { "ignored/x": _, ...saved } = after
      assert.deepStrictEqual(filesOf(Path.join(clone, "saved")), saved)
    })
  )

  it.scopedLive("takes the agent's own commits back, which stay in the branch", () =>
    Effect.gen(function* () {
      const folder = yield* repository
      const workspace = yield* workspaces.resolve(folder)
      yield* reverts.remember(workspace, "run")
      work(folder)
      git(folder, "add", "--all")
      git(folder, "commit", "--quiet", "-m", "the agent's commit")
      write(folder, { "later.txt": "later\n" })
      const done = yield* reverts.revert(workspace, "run")
      assert.strictEqual(git(folder, "rev-parse", "HEAD").trim(), workspace.gitHead)
      assert.strictEqual(git(folder, "status", "--porcelain"), "")
      assert.include(git(folder, "log", "--format=%s", done.savedAs), "the agent's commit")
      assert.include(git(folder, "show", `${done.savedAs}:later.txt`), "later")
    })
  )

  it.scopedLive("remembers the first state, and never overwrites a saved branch", () =>
    Effect.gen(function* () {
      const folder = yield* repository
      const before = filesOf(folder)
      const workspace = yield* workspaces.resolve(folder)
      yield* reverts.remember(workspace, "run")
      work(folder)
      yield* reverts.remember(workspace, "run")
      const first = yield* reverts.revert(workspace, "run")
      assert.deepStrictEqual(filesOf(folder), { ...before, "ignored/x": "build\n" })
      write(folder, { "again.txt": "again\n" })
      const second = yield* reverts.revert(workspace, "run")
      assert.deepStrictEqual([first.savedAs, second.savedAs], ["alluka/run", "alluka/run-2"])
      yield* reverts.forget(workspace, "run")
      assert.include((yield* Effect.flip(reverts.revert(workspace, "run"))).detail, "is not known")
      assert.include(git(folder, "branch"), "alluka/run-2")
    })
  )

  it.scopedLive("leaves a folder as it is where it cannot do it wholly, and says why", () =>
    Effect.gen(function* () {
      const plain = yield* temporaryFolder
      const outside = yield* workspaces.resolve(plain)
      assert.include((yield* Effect.flip(reverts.remember(outside, "run"))).detail, "no git repository")

      const folder = yield* repository
      const part = yield* workspaces.resolve(Path.join(folder, "sub"))
      assert.include((yield* Effect.flip(reverts.remember(part, "run"))).detail, "only a part")

      const workspace = yield* workspaces.resolve(folder)
      yield* reverts.remember(workspace, "run")
      git(folder, "checkout", "--quiet", "-b", "other")
      work(folder)
      const after = filesOf(folder)
      const failure = yield* Effect.flip(reverts.revert(workspace, "run"))
      assert.include(failure.detail, "another branch is checked out")
      assert.include(failure.detail, "saved as the branch alluka/run")
      assert.deepStrictEqual(filesOf(folder), after)
    })
  )
})
