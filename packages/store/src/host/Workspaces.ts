/** Folders as workspaces: whether one can be worked in, where it leads, and what changed in it. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Workspaces } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { codeOf } from "../connection/failures.js"
import { branch, git, head, type Numbers, parseNumstat, parseStatus, thorough } from "./git.js"

type Code = Workspaces.WorkspaceUnusable["code"]

const unusable = (code: Code, path: string, detail: string): Workspaces.WorkspaceUnusable =>
  new Workspaces.WorkspaceUnusable({ code, path, detail })

/** What a failed look at a path means. Pure. */
export const codeOfFailure = (systemCode: string | null): Code =>
  systemCode === "EACCES" || systemCode === "EPERM" ? "workspace_not_accessible" : "workspace_missing"

/**
 * Whether the owner of a folder may list and enter it by its mode. Asked besides `access`, which lets root into a folder
 * that is closed to everybody: an agent started there by root would work where nobody was meant to. Pure.
 */
export const closedToOwner = (stat: { readonly uid: number; readonly mode: number }, uid: number | null): boolean =>
  uid !== null && stat.uid === uid && (stat.mode & 0o500) !== 0o500

const sentence: Readonly<Record<Code, (path: string) => string>> = {
  workspace_missing: (path) => `the folder ${path} does not exist`,
  workspace_not_a_directory: (path) => `${path} is not a folder`,
  workspace_not_accessible: (path) => `the folder ${path} may not be read or entered by this user`
}

/** The real path of a folder that can be worked in. */
const realFolder = (path: string): Effect.Effect<string, Workspaces.WorkspaceUnusable> =>
  Effect.gen(function* () {
    const fail = (code: Code) => unusable(code, path, sentence[code](path))
    const found = yield* Effect.try({
      try: () => ({ real: Fs.realpathSync(path), stat: Fs.statSync(path) }),
      catch: (cause) => fail(codeOfFailure(codeOf(cause)))
    })
    if (!found.stat.isDirectory()) return yield* fail("workspace_not_a_directory")
    if (closedToOwner(found.stat, process.geteuid?.() ?? null)) return yield* fail("workspace_not_accessible")
    yield* Effect.try({
      try: () => Fs.accessSync(found.real, Fs.constants.R_OK | Fs.constants.X_OK),
      catch: () => fail("workspace_not_accessible")
    })
    return found.real
  })

/** How many changed files are named. */
const dirtyLimit = 50

/** Of new files, only so many and so large ones are read to count their lines. */
const newFileLimit = 500
const newFileBytes = 1024 * 1024

/** How many lines a new file has; 0 for one that is large, binary, or gone. */
const linesOf = (path: string): number => {
  try {
    const stat = Fs.lstatSync(path)
    if (!stat.isFile() || stat.size > newFileBytes) return 0
    const bytes = Fs.readFileSync(path)
    if (bytes.includes(0)) return 0
    const newlines = bytes.reduce((count, byte) => (byte === 10 ? count + 1 : count), 0)
    return bytes.length > 0 && bytes.at(-1) !== 10 ? newlines + 1 : newlines
  } catch {
    return 0
  }
}

const newFiles = (folder: string): Effect.Effect<Numbers> =>
  Effect.map(git(folder, ["ls-files", "--others", "--exclude-standard", "-z", "--", "."], thorough), (output) => {
    const paths = (output ?? "").split("\0").filter((path) => path !== "")
    return {
      files: paths.length,
      insertions: paths.slice(0, newFileLimit).reduce((sum, path) => sum + linesOf(Path.join(folder, path)), 0),
      deletions: 0
    }
  })

const differs = (before: string | null, now: string | null) =>
  before !== null && now !== null && before !== now ? { before, now } : null

export const workspaces: Workspaces.Workspaces["Type"] = {
  resolve: (path) => {
    const cwd = Path.resolve(path)
    return Effect.flatMap(realFolder(cwd), (realPath) =>
      Effect.map(Effect.all([head(realPath), branch(realPath)], { concurrency: 2 }), ([gitHead, gitBranch]) => ({
        cwd,
        realPath,
        gitHead,
        gitBranch
      }))
    )
  },
  drift: (workspace) => {
    const folder = workspace.realPath
    const status = git(folder, ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--", "."], thorough)
    return Effect.map(
      Effect.all([head(folder), branch(folder), status], { concurrency: 3 }),
      ([headNow, branchNow, changed]) => ({
        head: differs(workspace.gitHead, headNow),
        branch: differs(workspace.gitBranch, branchNow),
        dirty: parseStatus(changed ?? "").slice(0, dirtyLimit)
      })
    )
  },
  changesSince: (workspace) =>
    Effect.gen(function* () {
      const { gitHead, realPath } = workspace
      if (gitHead === null || !/^[0-9a-f]{4,64}$/.test(gitHead)) return null
      const diff = ["diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", gitHead, "--", "."]
      const tracked = yield* git(realPath, diff, thorough)
      if (tracked === null) return null
      const known = parseNumstat(tracked)
      const added = yield* newFiles(realPath)
      return {
        files: known.files + added.files,
        insertions: known.insertions + added.insertions,
        deletions: known.deletions
      }
    })
}

export const layer: Layer.Layer<Workspaces.Workspaces> = Layer.succeed(Workspaces.Workspaces, workspaces)
