import { BeginRun, CheckpointStore, Checkpoints, OwnerIdentity, Provider, RunLauncher, Workspaces } from "@alluka/core"
import { idOf } from "@alluka/core/testing"
import { expect, it } from "vitest"
import type { Failures } from "./app.js"
import { problem, problemOf } from "./errors.js"
import { Refusal } from "./Refusal.js"

const cause = new Error("no")
const failures: ReadonlyArray<readonly [Failures, number, string]> = [
  [new Refusal({ problem: problem(5, "x", "y", { hints: ["z"] }) }), 5, "x"],
  [new CheckpointStore.StoreLocked({ operation: "o", path: "/p", waitedMs: 10_000, cause }), 6, "store_locked"],
  [
    new CheckpointStore.StoreUnavailable({ operation: "o", path: "/p", code: "disk_full", cause }),
    1,
    "store_disk_full"
  ],
  [new CheckpointStore.StoreUnavailable({ operation: "o", path: "/p", code: "io", cause }), 1, "store_unavailable"],
  [new CheckpointStore.StoreNewer({ path: "/p", found: 9, supported: 1 }), 1, "store_newer"],
  [new CheckpointStore.RecordCorrupt({ operation: "o", id: "i", cause }), 1, "record_corrupt"],
  [new CheckpointStore.Fenced({ operation: "o", id: idOf("aaaa") }), 6, "fenced"],
  [new CheckpointStore.Conflict({ operation: "o", on: "session", holder: idOf("aaaa") }), 6, "session_busy"],
  [new CheckpointStore.InvalidCursor({ cursor: "x" }), 2, "usage"],
  [new Checkpoints.CheckpointNotFound({ id: "x" }), 3, "checkpoint_not_found"],
  [new Checkpoints.AmbiguousId({ id: "aaaa", candidates: [idOf("aaaa1"), idOf("aaaa2")] }), 2, "ambiguous_id"],
  [new Checkpoints.ClaimLost({ source: idOf("aaaa") }), 6, "already_running"],
  [new OwnerIdentity.OwnerLockFailed({ operation: "o", path: "/p", cause }), 1, "owner_lock_failed"],
  [
    new OwnerIdentity.OwnerLockFailed({
      operation: "o",
      path: "/p",
      cause: Object.assign(new Error("x"), { code: "EROFS" })
    }),
    1,
    "store_read_only"
  ],
  [
    new Provider.ProviderNotFound({ provider: "claude", command: "claude", install: "Install it." }),
    4,
    "provider_not_found"
  ],
  [new BeginRun.ProviderUnknown({ provider: "x", known: ["claude"] }), 4, "provider_unknown"],
  [
    new BeginRun.SettingUnsupported({ provider: "claude", setting: "thinking", detail: "no" }),
    2,
    "unsupported_thinking"
  ],
  [new Workspaces.WorkspaceUnusable({ code: "workspace_missing", path: "/p", detail: "gone" }), 5, "workspace_missing"],
  [new RunLauncher.LaunchFailed({ operation: "o", code: "launch_failed", detail: "no" }), 1, "launch_failed"]
]

it.each(failures)("%s", (failure, exitCode, code) => {
  const told = problemOf(failure)
  expect(told).toMatchObject({ exitCode, code })
  expect(told.message).not.toBe("")
  expect(told.hints.length).toBeGreaterThan(0)
})

it("names the candidates of an ambiguous id", () => {
  const candidates = [idOf("aaaa1"), idOf("aaaa2")]
  expect(problemOf(new Checkpoints.AmbiguousId({ id: "aaaa", candidates })).message).toContain(candidates[1])
})
