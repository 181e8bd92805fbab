/** How the program was called, so that every hint can be typed back as it stands. */
import { basename, isAbsolute, relative } from "node:path"

/** A text as one word of a shell's command line. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** A command line as it can be typed. */
export const shellLine = (words: ReadonlyArray<string>): string => words.map(shellWord).join(" ")

/**
 * The program as a person has called it: `alluka` where it is installed under that name, else node with the path of its
 * file, from the current folder where that is shorter. `script`: the path that node was given.
 */
export const programName = (script: string, cwd: string): string => {
  if (basename(script) === "alluka") return "alluka"
  const near = isAbsolute(script) ? relative(cwd, script) : script
  return shellLine(["node", near !== "" && near.length < script.length ? near : script])
}
