/**
 * The program behind codex's npm launcher. The launcher is a Node process that starts the native program; killed with
 * KILL it leaves that one at work, so the native program is started directly wherever it can be found (0.171.0).
 */
import { access, constants, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"

const targets: Readonly<Record<string, { readonly pkg: string; readonly triple: string }>> = {
  "linux-x64": { pkg: "@openai/codex-linux-x64", triple: "x86_64-unknown-linux-musl" },
  "linux-arm64": { pkg: "@openai/codex-linux-arm64", triple: "aarch64-unknown-linux-musl" },
  "darwin-x64": { pkg: "@openai/codex-darwin-x64", triple: "x86_64-apple-darwin" },
  "darwin-arm64": { pkg: "@openai/codex-darwin-arm64", triple: "aarch64-apple-darwin" }
}

/**
 * Where the native program may lie, in order, for a launcher at `launcher` (its real path): in the platform's package,
 * looked for in every `node_modules` above, and in the launcher's own package as older versions have it. Nothing if the
 * file is no npm launcher.
 */
export const nativeCandidates = (launcher: string, platform: string, arch: string): ReadonlyArray<string> => {
  const target = targets[`${platform}-${arch}`]
  if (target === undefined || !launcher.endsWith(join("codex", "bin", "codex.js"))) return []
  const root = dirname(dirname(launcher))
  const program = join("vendor", target.triple, "bin", "codex")
  const above = (folder: string): ReadonlyArray<string> =>
    dirname(folder) === folder ? [folder] : [folder, ...above(dirname(folder))]
  return [...above(root).map((folder) => join(folder, "node_modules", target.pkg, program)), join(root, program)]
}

/** The native program behind what was found on PATH, or that file itself. */
export const nativeBehind = (found: string): Effect.Effect<string> =>
  Effect.tryPromise(async () => {
    for (const path of nativeCandidates(await realpath(found), process.platform, process.arch)) {
      const runs = await access(path, constants.X_OK).then(
        () => true,
        () => false
      )
      if (runs) return path
    }
    return found
  }).pipe(Effect.orElseSucceed(() => found))
