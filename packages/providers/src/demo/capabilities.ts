/** What the demo agent can and cannot do. It works without a model, so it has only the settings that it reports back. */
import type { Capabilities } from "@alluka/core"

export const capabilities: Capabilities.Capabilities = {
  continuation: "provider_session",
  idAssignment: "caller",
  idKnown: "before_spawn",
  fork: true,
  modelOnResume: "kept",
  thinkingOnResume: "kept",
  permissionOnResume: "fixed",
  thinkingLevels: ["low", "medium", "high"],
  // It only ever reads, whatever it may do.
  permissions: { read: "read-only", edit: "read-only", full: "read-only" },
  cwdBound: false,
  concurrentGuard: false,
  survivesKill: false,
  promptChannel: "stdin",
  reportsModel: true,
  modelChangeCompacts: false,
  screen: false,
  verifiedWith: "demo 1"
}
