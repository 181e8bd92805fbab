/** The schemas of what is told about providers. */
import { Capabilities, Kept } from "../../provider/Capabilities.js"
import * as Schema from "../../Schema.js"
import { head, Text, TextOrNull } from "./parts.js"
import { Check } from "./reports.js"

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
  screen: Schema.Boolean,
  verified_with: Text
})

export type CapabilitiesDocument = typeof CapabilitiesDocument.Type

const providerFields = {
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
}

export const ProviderListDocument = Schema.Struct({
  ...head("provider_list"),
  items: Schema.Array(Schema.Struct(providerFields))
})
export type ProviderListDocument = typeof ProviderListDocument.Type

const sentences = Schema.Array(Text)

export const ProviderDocument = Schema.Struct({
  ...head("provider"),
  ...providerFields,
  keeps: sentences.annotations({ description: "What is the same after a resume, and how" }),
  loses: sentences.annotations({ description: "What is not kept, or not possible" }),
  notes: sentences
})
export type ProviderDocument = typeof ProviderDocument.Type

export const ProviderTestDocument = Schema.Struct({
  ...head("provider_test"),
  provider: Text,
  program_version: TextOrNull,
  verified_with: Text,
  ok: Schema.Boolean.annotations({ description: "No check found a problem" }),
  items: Schema.Array(Check),
  checkpoints: Schema.Array(Text).annotations({ description: "The runs that were made, oldest first" })
})
export type ProviderTestDocument = typeof ProviderTestDocument.Type
