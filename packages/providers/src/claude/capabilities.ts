/** What Claude Code can and cannot do, observed on `claude` 2.1.332 (Linux). */
import type { Capabilities, State } from "@alluka/core"

export const capabilities: Capabilities.Capabilities = {
  continuation: "provider_session",
  idAssignment: "caller",
  idKnown: "before_spawn",
  fork: true,
  modelOnResume: "kept",
  thinkingOnResume: "must_be_passed",
  permissionOnResume: "must_be_passed",
  thinkingLevels: ["low", "medium", "high", "xhigh", "max"],
  permissions: { read: "default", edit: "acceptEdits", full: "bypassPermissions" },
  cwdBound: false,
  concurrentGuard: false,
  survivesKill: true,
  promptChannel: "stdin",
  reportsModel: true,
  modelChangeCompacts: false,
  screen: true,
  verifiedWith: "claude 2.1.332"
}

/**
 * Why claude would refuse a permission: as root it takes `bypassPermissions` only where the user has said, by
 * IS_SANDBOX, that the machine is one. Otherwise it exits 1 at once ("cannot be used with root/sudo privileges").
 */
export const objection = (
  permission: State.Permission,
  machine: { readonly root: boolean; readonly sandbox: string | undefined }
): string | null =>
  permission === "full" && machine.root && (machine.sandbox === undefined || machine.sandbox === "")
    ? "claude refuses the permission `full` to root; use `edit`, run as another user, or set IS_SANDBOX=1 if this machine is a sandbox"
    : null
