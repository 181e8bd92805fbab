/** `alluka schema [KIND]`: the JSON Schema of a document or line, or of the configuration's file. */
import { Schemas } from "@alluka/core"
import type { Command } from "../Command.js"
import { fileSchema, fileSchemaName } from "../config/fileSchema.js"
import { problem } from "../errors.js"
import { outputOf } from "../output/Output.js"

export const schema: Command = async ({ args, options }, io) => {
  const [kind] = args
  if (kind === undefined) {
    const items = [...Schemas.kinds, fileSchemaName]
    await io.out(
      options.flag("json") ? `${JSON.stringify({ kind: "schema_list", version: 1, items })}\n` : `${items.join("\n")}\n`
    )
    return 0
  }
  const found = kind === fileSchemaName ? fileSchema() : Schemas.jsonSchema(kind)
  if (found !== undefined) {
    await io.out(`${JSON.stringify(found, null, 2)}\n`)
    return 0
  }
  const unknown = problem(3, "kind_not_found", `there is no kind "${kind}"`, {
    hints: [{ argv: ["schema"], why: "lists them" }]
  })
  await outputOf(io, options).problem(unknown)
  return unknown.exitCode
}
