/**
 * Putting a folder back with git, in a way that loses nothing: what is there is committed to a branch of its own first,
 * whoever changed it, and only then are the files taken back. Ignored files are left alone throughout.
 *
 * What a task found is remembered as a commit under `refs/alluka/before/`, made from a copy of the index, so that neither
 * the folder nor the real index is touched. The person's own uncommitted changes are part of it and come back with it.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Reverts } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { branch, run as git, type Limits } from "./git.js"

/** Hashing a large tree takes its time. */
const patient: Limits = { timeoutMs: 120_000, maxBytes: 16 * 1024 * 1024 }

const fail = (operation: string, detail: string): Reverts.RevertFailed =>
  new Reverts.RevertFailed({ operation, detail })

const beforeRef = (name: string): string => `refs/alluka/before/${name}`

/** Commits are ours, whatever identity is configured here, if any. */
const identity = {
  GIT_AUTHOR_NAME: "Alluka",
  GIT_AUTHOR_EMAIL: "alluka@localhost",
  GIT_COMMITTER_NAME: "Alluka",
  GIT_COMMITTER_EMAIL: "alluka@localhost"
}

const must = (
  operation: string,
  folder: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<string, Reverts.RevertFailed> =>
  Effect.flatMap(git(folder, args, patient, { ...identity, ...env }), (answer) =>
    answer.ok
      ? Effect.succeed(answer.stdout.trim())
      : Effect.fail(
          fail(operation, `git ${args[0]} failed: ${answer.stderr.trim().split("\n")[0] || "no reason given"}`)
        )
  )

/** Only a whole repository is put back: a part of one shares its commits with what others work on. */
const rootOf = (operation: string, folder: string): Effect.Effect<string, Reverts.RevertFailed> =>
  Effect.gen(function* () {
    const answer = yield* git(folder, ["rev-parse", "--show-toplevel"], patient)
    if (!answer.ok) return yield* fail(operation, `${folder} is in no git repository`)
    const root = answer.stdout.replace(/\n$/, "")
    if (Fs.realpathSync(root) !== folder) {
      return yield* fail(operation, `${folder} is only a part of the git repository ${root}`)
    }
    return root
  })

/** A commit of the folder as it is now, without touching it: its parent is the commit that is checked out. */
const snapshot = (operation: string, folder: string, message: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "alluka-index-"))),
    (temporary) =>
      Effect.gen(function* () {
        const index = Path.join(temporary, "index")
        const real = yield* must(operation, folder, ["rev-parse", "--path-format=absolute", "--git-path", "index"])
        // A copy knows which files have not changed, so only the others are read.
        yield* Effect.sync(() => (Fs.existsSync(real) ? Fs.copyFileSync(real, index) : undefined))
        const env = { GIT_INDEX_FILE: index, GIT_OPTIONAL_LOCKS: "1" }
        yield* must(operation, folder, ["add", "--all", "--", "."], env)
        const tree = yield* must(operation, folder, ["write-tree"], env)
        const head = yield* must(operation, folder, ["rev-parse", "--verify", "HEAD"])
        const commit = yield* must(operation, folder, ["commit-tree", tree, "-p", head, "-m", message])
        return { commit, head }
      }),
    (temporary) => Effect.sync(() => Fs.rmSync(temporary, { recursive: true, force: true }))
  )

const remember: Reverts.Reverts["Type"]["remember"] = ({ realPath }, name) =>
  Effect.gen(function* () {
    const operation = "Reverts.remember"
    yield* rootOf(operation, realPath)
    const known = yield* git(realPath, ["rev-parse", "--verify", "--quiet", beforeRef(name)], patient)
    if (known.ok) return
    const { commit } = yield* snapshot(operation, realPath, `Before ${name}`)
    yield* must(operation, realPath, ["update-ref", beforeRef(name), commit])
  })

/** The first free of `alluka/NAME`, `alluka/NAME-2`, ... */
const saveAs = (operation: string, folder: string, name: string, commit: string) =>
  Effect.gen(function* () {
    for (let n = 1; ; n++) {
      const saved = `alluka/${name}${n === 1 ? "" : `-${n}`}`
      // The old value of nothing: a branch that is there already is not moved.
      const made = yield* git(
        folder,
        ["update-ref", `refs/heads/${saved}`, commit, "0000000000000000000000000000000000000000"],
        patient
      )
      if (made.ok) return saved
      if (n >= 100) return yield* fail(operation, `no branch for what is there could be made: ${made.stderr.trim()}`)
    }
  })

const revert: Reverts.Reverts["Type"]["revert"] = (workspace, name) =>
  Effect.gen(function* () {
    const operation = "Reverts.revert"
    const folder = workspace.realPath
    yield* rootOf(operation, folder)
    const before = yield* git(folder, ["rev-parse", "--verify", "--quiet", beforeRef(name)], patient)
    if (!before.ok) return yield* fail(operation, "how the folder was when the task began is not known")
    const base = before.stdout.trim()
    const { commit, head } = yield* snapshot(operation, folder, `What ${name} had done before it was put back`)
    const savedAs = yield* saveAs(operation, folder, name, commit)
    const kept = (detail: string) => fail(operation, `${detail}; everything is saved as the branch ${savedAs}`)
    if ((yield* branch(folder)) !== workspace.gitBranch) {
      return yield* kept("another branch is checked out than when the task began")
    }
    const files = yield* must(operation, folder, ["diff", "--name-only", "--no-renames", base, commit])
    const baseHead = yield* must(operation, folder, ["rev-parse", "--verify", `${base}^`])
    // Not to be cut off in the middle: a folder between two states is neither.
    const take = Effect.gen(function* () {
      // Files that the task added and the base does not have go with the first step, as tracked ones.
      yield* must(operation, folder, ["read-tree", commit])
      yield* must(operation, folder, ["read-tree", "-u", "--reset", base])
      if (head !== baseHead) yield* must(operation, folder, ["update-ref", "HEAD", baseHead, head])
      yield* must(operation, folder, ["reset", "--quiet", "--mixed"])
    }).pipe(Effect.uninterruptible)
    yield* Effect.mapError(take, (failure) => kept(failure.detail))
    return { savedAs, commit, files: files === "" ? 0 : files.split("\n").length }
  })

const forget: Reverts.Reverts["Type"]["forget"] = ({ realPath }, name) =>
  Effect.asVoid(git(realPath, ["update-ref", "-d", beforeRef(name)], patient))

export const reverts: Reverts.Reverts["Type"] = { remember, revert, forget }

export const layer: Layer.Layer<Reverts.Reverts> = Layer.succeed(Reverts.Reverts, reverts)
