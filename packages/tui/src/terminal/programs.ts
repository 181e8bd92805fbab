/** Programs that a person uses beside the monitor: editor, pager, clipboard. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

type Environment = Readonly<Record<string, string | undefined>>

const first = (...values: ReadonlyArray<string | undefined>): string | null =>
  values.find((value) => value !== undefined && value.trim() !== "") ?? null

/** The editor's command line: `$VISUAL`, `$EDITOR`, else vi. May carry arguments, as in `code --wait`. */
export const editorOf = (env: Environment): string => first(env.VISUAL, env.EDITOR) ?? "vi"

export const pagerOf = (env: Environment): string => first(env.ALLUKA_PAGER, env.PAGER) ?? "less"

/**
 * Runs a person's own program with the terminal while this process waits. Nothing else of ours reads the terminal
 * meanwhile, because nothing else of ours runs. The shell reads the command line as the person wrote it; the file's name
 * is an argument of its own.
 */
const inTerminal = (commandLine: string, file: string | null, input: string | null, env: Environment): number | null =>
  spawnSync(
    "/bin/sh",
    ["-c", file === null ? commandLine : `${commandLine} "$1"`, "sh", ...(file === null ? [] : [file])],
    {
      stdio: [input === null ? "inherit" : "pipe", "inherit", "inherit"],
      env: { ...env },
      ...(input === null ? {} : { input })
    }
  ).status

/** The text as the person left it in the editor; `null`: the editor failed, or could not be started. */
export const editText = (text: string, env: Environment): string | null => {
  const folder = mkdtempSync(join(tmpdir(), "alluka-edit-"))
  const file = join(folder, "follow-up.md")
  try {
    writeFileSync(file, text, { mode: 0o600 })
    return inTerminal(editorOf(env), file, null, env) === 0 ? readFileSync(file, "utf8") : null
  } catch {
    return null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Shows a text in the pager; `null`: it went well. */
export const pageText = (text: string, env: Environment): string | null => {
  const status = inTerminal(pagerOf(env), null, text, { LESS: "-R", ...env })
  return status === 0 ? null : `The pager "${pagerOf(env)}" could not be used.`
}

const clipboardTools: ReadonlyArray<{
  readonly needs: string | null
  readonly command: string
  readonly args: ReadonlyArray<string>
}> = [
  { needs: "WAYLAND_DISPLAY", command: "wl-copy", args: [] },
  { needs: "DISPLAY", command: "xclip", args: ["-selection", "clipboard"] },
  { needs: "DISPLAY", command: "xsel", args: ["--clipboard", "--input"] }
]

/** Tries this machine's own clipboard; answers the tool that took the text. */
export const nativeCopy = (text: string, env: Environment, platform: NodeJS.Platform): string | null => {
  const tools = platform === "darwin" ? [{ needs: null, command: "pbcopy", args: [] }] : clipboardTools
  // Over ssh the machine's own clipboard is not the one that the person looks at.
  if (first(env.SSH_CONNECTION, env.SSH_TTY) !== null) return null
  for (const { needs, command, args } of tools) {
    if (needs !== null && first(env[needs]) === null) continue
    if (spawnSync(command, [...args], { input: text, stdio: ["pipe", "ignore", "ignore"], timeout: 1000 }).status === 0)
      return command
  }
  return null
}
