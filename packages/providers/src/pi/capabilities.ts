/** What Pi can and cannot do, observed on `pi` 0.73.1 and 1.6.0 (Linux): one set of facts that holds for both. */
import type { Capabilities } from "@alluka/core"

export const capabilities: Capabilities.Capabilities = {
  continuation: "provider_session",
  // 1.6.0 would take an id of ours; 0.73.1 does not, and both tell theirs before they ask a model.
  idAssignment: "provider",
  idKnown: "first_event",
  fork: true,
  modelOnResume: "kept",
  // 0.73.1 goes on with the level of the first run.
  thinkingOnResume: "must_be_passed",
  permissionOnResume: "must_be_passed",
  // `max` is of 1.6.0; 0.73.1 warns of it and goes on with its default.
  thinkingLevels: ["off", "minimal", "low", "medium", "high", "xhigh", "max"],
  // pi asks nobody for permission: what an agent may do is which tools it has. `edit` has no shell.
  permissions: { read: "read,grep,find,ls", edit: "read,edit,write,grep,find,ls", full: "all tools" },
  cwdBound: true,
  concurrentGuard: false,
  survivesKill: true,
  promptChannel: "stdin",
  reportsModel: true,
  modelChangeCompacts: false,
  screen: true,
  verifiedWith: "pi 0.73.1, pi 1.6.0"
}
