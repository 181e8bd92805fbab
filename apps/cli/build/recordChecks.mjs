/**
 * A bundler plugin: the checks of stored records as plain code, made from their schemas at build time. A list is mostly
 * checking, and the schema library would have to be begun, and its parsers made, for thirty rows.
 */
import { Checkpoint, Event, SchemaCheck } from "@alluka/core"

const records = { isCheckpoint: Checkpoint.Checkpoint, isStoredEvent: Event.StoredEvent }

/** `file`: the module that makes the same checks with the library. */
export const recordChecks = (file) => ({
  name: "record-checks",
  load: {
    order: "pre",
    handler: (id) =>
      id === file
        ? {
            code: Object.entries(records)
              .map(([name, schema]) => `export const ${name} = ${SchemaCheck.source(schema)}`)
              .join("\n"),
            moduleType: "js"
          }
        : null
  }
})
