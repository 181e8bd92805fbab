/** What Gemini CLI can and cannot do, observed on `gemini` 0.61.0 (Linux). */
import type { Capabilities } from "@alluka/core"

export const capabilities: Capabilities.Capabilities = {
  continuation: "provider_session",
  idAssignment: "caller",
  idKnown: "before_spawn",
  // `--session-file` copies a conversation, but under an id that nobody can choose.
  fork: false,
  modelOnResume: "must_be_passed",
  thinkingOnResume: "not_supported",
  permissionOnResume: "must_be_passed",
  // Thinking is set in gemini's settings file only.
  thinkingLevels: [],
  permissions: { read: "default", edit: "auto_edit", full: "yolo" },
  cwdBound: true,
  concurrentGuard: false,
  survivesKill: true,
  promptChannel: "stdin",
  reportsModel: true,
  modelChangeCompacts: false,
  screen: true,
  verifiedWith: "gemini 0.61.0"
}
