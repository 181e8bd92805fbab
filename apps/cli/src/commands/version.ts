/** `alluka version`: of this program, of its runtime, of the store that it writes. */
import type { Command } from "../Command.js"
import { outputOf } from "../output/Output.js"
import { version as programVersion } from "../version.js"

export const version: Command = async ({ options }, io) => {
  const output = outputOf(io, options)
  if (output.json) {
    await output.document({ kind: "program_version", version: 1, program: "alluka", program_version: programVersion, node: process.versions.node, platform: `${process.platform}-${process.arch}` })
  } else await output.text(`alluka ${programVersion}`)
  return 0
}
