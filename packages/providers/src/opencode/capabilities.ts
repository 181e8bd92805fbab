/** What opencode can and cannot do, observed on `opencode` 1.18.33 (Linux). */
import type { Capabilities } from "@alluka/core"

export const capabilities: Capabilities.Capabilities = {
  continuation: "provider_session",
  idAssignment: "provider",
  // Where opencode was used before, the session is made ahead of the run; else its first line comes with the first words
  // of the model.
  idKnown: "first_event",
  fork: true,
  modelOnResume: "kept",
  // The variant is forgotten at every resume.
  thinkingOnResume: "must_be_passed",
  permissionOnResume: "must_be_passed",
  // Which of these a model has is the model's affair: opencode leaves one that it does not know out, without a word.
  thinkingLevels: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
  // `edit` is what the person's own opencode rules say (by default files and commands of the folder); what they would ask
  // is refused.
  permissions: { read: "reading tools", edit: "own rules", full: "auto" },
  cwdBound: true,
  concurrentGuard: false,
  survivesKill: true,
  promptChannel: "stdin",
  reportsModel: false,
  modelChangeCompacts: false,
  screen: true,
  verifiedWith: "opencode 1.18.33"
}
