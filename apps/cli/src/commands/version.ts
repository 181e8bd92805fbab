/** `alluka version`: of this program and of what it runs on. Loads nothing else: it is asked often, by other programs. */
import type { Command } from "../Command.js"
import { version as programVersion } from "../version.js"

export const version: Command = async ({ options }, io) => {
  const document = {
    kind: "program_version",
    version: 1,
    name: "alluka",
    program_version: programVersion,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`
  }
  await io.out(options.flag("json") ? `${JSON.stringify(document)}\n` : `alluka ${programVersion}\n`)
  return 0
}
