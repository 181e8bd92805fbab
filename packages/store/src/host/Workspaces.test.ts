import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../support/fixtures.js"
import { closedToOwner, codeOfFailure, workspaces } from "./Workspaces.js"

const git = (folder: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", "-C", folder, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  }).trim()

const repository = Effect.map(temporaryFolder, (folder) => {
  git(folder, "init", "--initial-branch=main")
  Fs.writeFileSync(`${folder}/a.txt`, "one\ntwo\nthree\n")
  git(folder, "add", ".")
  git(folder, "commit", "-m", "first")
  return folder
})

const why = (path: string) =>
  Effect.map(Effect.flip(workspaces.resolve(path)), ({ code, message }) => [code, message] as const)

describe("a folder to work in", () => {
  it.scoped("is resolved to where it truly is, with its place in git", () =>
    Effect.gen(function* () {
      const folder = yield* repository
      Fs.mkdirSync(`${folder}/deep`)
      Fs.symlinkSync(`${folder}/deep`, `${folder}/link`)
      const head = git(folder, "rev-parse", "HEAD")
      assert.deepStrictEqual(yield* workspaces.resolve(`${folder}/link/../link`), {
        cwd: `${folder}/link`,
        realPath: `${folder}/deep`,
        gitHead: head,
        gitBranch: "main"
      })
      git(folder, "checkout", "--detach")
      assert.deepInclude(yield* workspaces.resolve(folder), { gitHead: head, gitBranch: null })
    })
  )

  it.scoped("needs no git, and no commit", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      assert.deepInclude(yield* workspaces.resolve(folder), { gitHead: null, gitBranch: null })
      git(folder, "init", "--initial-branch=trunk")
      assert.deepInclude(yield* workspaces.resolve(folder), { gitHead: null, gitBranch: "trunk" })
    })
  )

  it.scoped("is another repository than the one that a git hook names", () =>
    Effect.gen(function* () {
      const [folder, other] = [yield* repository, yield* repository]
      process.env.GIT_DIR = `${other}/.git`
      const found = yield* workspaces.resolve(folder)
      delete process.env.GIT_DIR
      assert.strictEqual(found.gitHead, git(folder, "rev-parse", "HEAD"))
    })
  )

  it.scoped("that cannot be worked in says why, and names itself", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const path = (name: string) => `${folder}/${name}`
      Fs.writeFileSync(path("file"), "")
      Fs.symlinkSync(path("nowhere"), path("dangling"))
      Fs.symlinkSync(path("loop"), path("loop"))
      Fs.mkdirSync(path("closed"))
      Fs.chmodSync(path("closed"), 0o000)
      const cases = [
        ["missing", "workspace_missing"],
        ["dangling", "workspace_missing"],
        ["loop", "workspace_missing"],
        ["file", "workspace_not_a_directory"],
        ["file/below", "workspace_missing"],
        // For root too, whom the system would let in.
        ["closed", "workspace_not_accessible"]
      ] as const
      for (const [name, expected] of cases) {
        const [code, message] = yield* why(path(name))
        assert.strictEqual(code, expected, name)
        assert.include(message, path(name))
      }
      Fs.chmodSync(path("closed"), 0o700)
      yield* workspaces.resolve(path("closed"))
    })
  )

  it("is closed to its owner by mode, whoever that is", () => {
    assert.isTrue(closedToOwner({ uid: 0, mode: 0o40000 }, 0))
    assert.isTrue(closedToOwner({ uid: 0, mode: 0o40400 }, 0))
    assert.isTrue(closedToOwner({ uid: 0, mode: 0o40100 }, 0))
    assert.isFalse(closedToOwner({ uid: 0, mode: 0o40500 }, 0))
    assert.isFalse(closedToOwner({ uid: 1000, mode: 0o40000 }, 0))
    assert.isFalse(closedToOwner({ uid: 0, mode: 0o40000 }, null))
    assert.strictEqual(codeOfFailure("EACCES"), "workspace_not_accessible")
    assert.strictEqual(codeOfFailure("ENOENT"), "workspace_missing")
    assert.strictEqual(codeOfFailure(null), "workspace_missing")
  })
})

describe("what changed in a folder", () => {
  it.scoped("is counted against the commit that the run began at", () =>
    Effect.gen(function* () {
      const folder = yield* repository
      const workspace = yield* workspaces.resolve(folder)
      assert.deepStrictEqual(yield* workspaces.changesSince(workspace), { files: 0, insertions: 0, deletions: 0 })
      Fs.writeFileSync(`${folder}/a.txt`, "one\n2\nthree\nfour\n")
      Fs.writeFileSync(`${folder}/new.txt`, "x\ny")
      Fs.writeFileSync(`${folder}/binary`, Buffer.from([1, 0, 10, 10]))
      Fs.writeFileSync(`${folder}/.gitignore`, "ignored\n")
      Fs.writeFileSync(`${folder}/ignored`, "z\n")
      const uncommitted = { files: 4, insertions: 2 + 2 + 1, deletions: 1 }
      assert.deepStrictEqual(yield* workspaces.changesSince(workspace), uncommitted)
      git(folder, "add", ".")
      git(folder, "commit", "-m", "second")
      assert.deepInclude(yield* workspaces.changesSince(workspace), { files: 4, deletions: 1 })
      assert.isNull(yield* workspaces.changesSince({ ...workspace, gitHead: null }))
      assert.isNull(yield* workspaces.changesSince({ ...workspace, gitHead: "--output=/tmp/x" }))
      assert.isNull(yield* workspaces.changesSince({ ...workspace, gitHead: "0".repeat(40) }))
    })
  )

  it.scoped("since a run stopped is told as far as it is known", () =>
    Effect.gen(function* () {
      const folder = yield* repository
      const workspace = yield* workspaces.resolve(folder)
      assert.deepStrictEqual(yield* workspaces.drift(workspace), { head: null, branch: null, dirty: [] })
      git(folder, "checkout", "-b", "other")
      Fs.writeFileSync(`${folder}/a.txt`, "changed\n")
      git(folder, "commit", "-am", "second")
      Fs.writeFileSync(`${folder}/b.txt`, "")
      for (let n = 0; n < 80; n++) Fs.writeFileSync(`${folder}/c${n}.txt`, "")
      const drift = yield* workspaces.drift(workspace)
      assert.deepStrictEqual(drift.head, { before: workspace.gitHead, now: git(folder, "rev-parse", "HEAD") })
      assert.deepStrictEqual(drift.branch, { before: "main", now: "other" })
      assert.strictEqual(drift.dirty.length, 50)
      assert.strictEqual(drift.dirty[0], "b.txt")
      Fs.rmSync(folder, { recursive: true })
      assert.deepStrictEqual(yield* workspaces.drift(workspace), { head: null, branch: null, dirty: [] })
    })
  )

  it.scoped("is found out without running what the repository's configuration names", () =>
    Effect.gen(function* () {
      const folder = yield* repository
      const trap = `${folder}/trap.sh`
      Fs.writeFileSync(trap, `#!/bin/sh\ntouch ${folder}/sprung\n`, { mode: 0o755 })
      git(folder, "config", "core.fsmonitor", trap)
      git(folder, "config", "diff.external", trap)
      const workspace = yield* workspaces.resolve(folder)
      Fs.writeFileSync(`${folder}/a.txt`, "changed\n")
      yield* workspaces.drift(workspace)
      yield* workspaces.changesSince(workspace)
      assert.isFalse(Fs.existsSync(`${folder}/sprung`))
    })
  )
})
