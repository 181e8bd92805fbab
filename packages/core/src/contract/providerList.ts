/** Providers as JSON: what is on this machine, and what each can continue. */
import type { Capabilities } from "../provider/Capabilities.js"
import { continuityOf } from "../provider/continuity.js"
import type { Availability, Provider } from "../provider/Provider.js"
import type {
  CapabilitiesDocument,
  ProviderDocument,
  ProviderListDocument,
  ProviderTestDocument
} from "./schema/providers.js"
import type { Check } from "./schema/reports.js"

/** A provider as it was found on this machine. */
export interface ProviderFound {
  readonly provider: Pick<Provider, "id" | "title" | "install" | "capabilities">
  readonly availability: Availability
  /** What the program answers to `--version`; `null`: not asked, or no answer. */
  readonly version: string | null
  readonly auth?: "present" | "absent" | "unknown" | null
}

export const providerListDocument = (found: ReadonlyArray<ProviderFound>): ProviderListDocument => ({
  kind: "provider_list",
  version: 1,
  items: found.map(fieldsOf)
})

const fieldsOf = ({ auth = null, availability, provider, version }: ProviderFound) => ({
  id: provider.id,
  title: provider.title,
  installed: availability._tag === "Installed",
  command: availability.command,
  program_version: version,
  auth,
  install: provider.install,
  capabilities: capabilitiesDocument(provider.capabilities)
})

/** One provider, with what its facts mean. */
export const providerDocument = (found: ProviderFound): ProviderDocument => ({
  kind: "provider",
  version: 1,
  ...fieldsOf(found),
  ...continuityOf(found.provider.capabilities)
})

/** What a trial of a provider showed. */
export const providerTestDocument = (
  { provider, version }: Pick<ProviderFound, "provider" | "version">,
  checks: ReadonlyArray<Check>,
  checkpoints: ReadonlyArray<string>
): ProviderTestDocument => ({
  kind: "provider_test",
  version: 1,
  provider: provider.id,
  program_version: version,
  verified_with: provider.capabilities.verifiedWith,
  ok: checks.every(({ status }) => status !== "problem"),
  items: checks,
  checkpoints
})

const capabilitiesDocument = (capabilities: Capabilities): CapabilitiesDocument => ({
  continuation: capabilities.continuation,
  id_assignment: capabilities.idAssignment,
  id_known: capabilities.idKnown,
  fork: capabilities.fork,
  model_on_resume: capabilities.modelOnResume,
  thinking_on_resume: capabilities.thinkingOnResume,
  permission_on_resume: capabilities.permissionOnResume,
  thinking_levels: capabilities.thinkingLevels,
  permissions: capabilities.permissions,
  cwd_bound: capabilities.cwdBound,
  concurrent_guard: capabilities.concurrentGuard,
  survives_kill: capabilities.survivesKill,
  prompt_channel: capabilities.promptChannel,
  reports_model: capabilities.reportsModel,
  model_change_compacts: capabilities.modelChangeCompacts,
  screen: capabilities.screen,
  verified_with: capabilities.verifiedWith
})
