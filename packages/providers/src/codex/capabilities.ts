/** What Codex can and cannot do, observed on `codex` 0.171.0 (Linux). */
import type { Capabilities } from "@alluka/core"

export const capabilities: Capabilities.Capabilities = {
  continuation: "provider_session",
  idAssignment: "provider",
  idKnown: "first_event",
  fork: true,
  modelOnResume: "must_be_passed",
  thinkingOnResume: "must_be_passed",
  permissionOnResume: "must_be_passed",
  // Which of these a model takes is the model's affair; codex passes the word on unchecked.
  thinkingLevels: ["low", "medium", "high", "xhigh", "max", "ultra"],
  permissions: { read: "read-only", edit: "workspace-write", full: "danger-full-access" },
  cwdBound: false,
  concurrentGuard: true,
  survivesKill: true,
  promptChannel: "stdin",
  reportsModel: false,
  modelChangeCompacts: true,
  screen: true,
  verifiedWith: "codex 0.171.0"
}
