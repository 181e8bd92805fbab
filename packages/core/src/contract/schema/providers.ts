/** The schema of the list of providers. */
import { Capabilities, Kept } from "../../provider/Capabilities.js"
import * as Schema from "../../Schema.js"
import { head, Text, TextOrNull } from "./parts.js"

export const CapabilitiesDocument = Schema.Struct({
  continuation: Capabilities.fields.continuation,
  id_assignment: Capabilities.fields.idAssignment,
  id_known: Capabilities.fields.idKnown,
  fork: Schema.Boolean,
  model_on_resume: Kept,
  thinking_on_resume: Kept,
  permission_on_resume: Kept,
  thinking_levels: Schema.Array(Text),
  permissions: Schema.Struct({ read: TextOrNull, edit: TextOrNull, full: TextOrNull }),
  cwd_bound: Schema.Boolean,
  concurrent_guard: Schema.Boolean,
  survives_kill: Schema.Boolean,
  prompt_channel: Capabilities.fields.promptChannel,
  reports_model: Schema.Boolean,
  model_change_compacts: Schema.Boolean,
  verified_with: Text
})

export type CapabilitiesDocument = typeof CapabilitiesDocument.Type

const ProviderDocument = Schema.Struct({
  id: Text,
  title: Text,
  installed: Schema.Boolean,
  command: Text,
  program_version: TextOrNull,
  auth: Schema.NullOr(Schema.Literal("present", "absent", "unknown")).annotations({
    description: "null: not looked at"
  }),
  install: Text,
  capabilities: CapabilitiesDocument
})

export const ProviderListDocument = Schema.Struct({ ...head("provider_list"), items: Schema.Array(ProviderDocument) })
export type ProviderListDocument = typeof ProviderListDocument.Type
