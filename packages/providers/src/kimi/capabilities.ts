/** What Kimi Code can and cannot do, observed on `kimi` 2.1.0 (Linux). */
import type { Capabilities } from "@alluka/core"

export const capabilities: Capabilities.Capabilities = {
  continuation: "provider_session",
  idAssignment: "provider",
  // The stream tells the id in its last line only; it is found earlier in kimi's own index of sessions, a second after the
  // start, where kimi has one already.
  idKnown: "end_only",
  fork: true,
  modelOnResume: "kept",
  thinkingOnResume: "not_supported",
  permissionOnResume: "kept",
  // The level is set in kimi's configuration file only.
  thinkingLevels: [],
  // A run without a screen is always in the mode `auto`: everything runs, but what kimi's own rules deny.
  permissions: { read: null, edit: "auto", full: "auto" },
  cwdBound: true,
  concurrentGuard: false,
  survivesKill: true,
  promptChannel: "argument",
  reportsModel: false,
  modelChangeCompacts: false,
  screen: true,
  verifiedWith: "kimi 2.1.0"
}
