/** Valid values for tests: override what a test is about. */
import type { Checkpoint, Phase, Progress, Reason } from "../checkpoint/Checkpoint.js"
import { CheckpointId, OwnerId, SessionId } from "../checkpoint/ids.js"
import { reasonOf } from "../checkpoint/reason.js"
import { type ReasonCode, stateOfReason } from "../checkpoint/state.js"
import type { Capabilities } from "../provider/Capabilities.js"
import { defaultPolicy, type Facts, type Probe, plainRequest } from "../resume/Facts.js"

/** 2026-11-30T12:00:00Z */
export const noon = 1_796_040_000_000

export const idOf = (text: string): CheckpointId => CheckpointId.make(`ckpt_${text.padEnd(12, "0")}`)

export const samplePhase: Phase = {
  index: 0,
  name: "run",
  provider: "claude",
  model: { requested: "opus[1m]", actual: "claude-opus-5-5" },
  thinking: { requested: "high", actual: null },
  providerSession: {
    id: "2a1c7f6e-0000-5000-8000-000000000001",
    assignedBy: "caller",
    seenAt: noon,
    location: "/home/a/.claude"
  },
  state: "running",
  startedAt: noon,
  endedAt: null
}

export const sampleProgress: Progress = {
  phases: [samplePhase],
  phase: 0,
  permissionActual: "acceptEdits",
  position: { turn: 3, messages: 5, lastMessageId: "m5", openTool: null, lastActivityAt: noon + 60_000 },
  usage: { inputTokens: 10, outputTokens: 20, costUsd: 0.5 },
  cumulativeUsage: null,
  denied: 0,
  stream: { lines: 9, skipped: 0, oversize: 0 },
  child: { pid: 400, pidStart: "4000" },
  providerExit: null,
  changes: null,
  elapsedMs: 60_000
}

export const sampleReason = (code: ReasonCode): Reason => reasonOf(code, code.replaceAll("_", " "))

/** A running checkpoint. */
export const sampleCheckpoint = (change: Partial<Checkpoint> = {}): Checkpoint => {
  const id = change.id ?? idOf("aaaa")
  return {
    id,
    seq: 1,
    agent: "default",
    sessionId: SessionId.make("ses_0000000000aa"),
    taskId: null,
    key: null,
    labels: {},
    title: "Fix the failing test",
    spec: {
      origin: "manual",
      prompt: "Fix the failing test",
      promptRedacted: false,
      promptTruncated: false,
      knownDamage: 0,
      instruction: null,
      provider: "claude",
      providerArgs: [],
      providerArgsRedacted: false,
      permission: "edit",
      addDirs: [],
      workspace: { cwd: "/w/a", realPath: "/w/a", gitHead: "1".repeat(40), gitBranch: "main" },
      loop: null
    },
    progress: sampleProgress,
    state: "running",
    reason: null,
    cancelRequested: null,
    startedAt: noon,
    updatedAt: noon + 60_000,
    endedAt: null,
    reconciledAt: null,
    dismissedAt: null,
    attempt: 1,
    rootId: id,
    resumedFrom: null,
    resumedBy: null,
    forkedFrom: null,
    owner: { id: OwnerId.make("own_0000000000aa"), host: "host", pid: 300, pidStart: "3000" },
    ...change
  }
}

/** A checkpoint that ended for a reason. */
export const endedCheckpoint = (code: ReasonCode, change: Partial<Checkpoint> = {}): Checkpoint =>
  sampleCheckpoint({
    state: stateOfReason(code),
    reason: sampleReason(code),
    endedAt: noon + 60_000,
    ...change
  })

export const sampleCapabilities: Capabilities = {
  continuation: "provider_session",
  idAssignment: "caller",
  idKnown: "before_spawn",
  fork: true,
  modelOnResume: "must_be_passed",
  thinkingOnResume: "must_be_passed",
  permissionOnResume: "must_be_passed",
  thinkingLevels: ["low", "medium", "high"],
  permissions: { read: "default", edit: "acceptEdits", full: "bypassPermissions" },
  cwdBound: false,
  concurrentGuard: false,
  survivesKill: true,
  promptChannel: "stdin",
  reportsModel: true,
  modelChangeCompacts: false,
  screen: false,
  verifiedWith: "sample 1.0"
}

export const sampleProbe: Probe = {
  providerFound: true,
  providerCommand: "claude",
  installHint: "Install it.",
  auth: "unknown",
  workspace: { _tag: "Usable", realPath: "/w/a" },
  drift: { head: null, branch: null, dirty: [] },
  session: { presence: "present", path: "/home/a/.claude/x.jsonl", detail: null, lastRowAt: null, tailDamaged: false },
  survivor: null,
  neighbours: [],
  location: "/home/a/.claude"
}

/** Facts under which an interrupted run simply goes on, an hour after it stopped. */
export const sampleFacts = (change: Partial<Facts> = {}): Facts => {
  const checkpoint = change.checkpoint === undefined ? endedCheckpoint("owner_lost") : change.checkpoint
  return {
    now: noon + 3_600_000,
    policy: defaultPolicy,
    request: plainRequest,
    requestedId: checkpoint?.id ?? "ckpt_nothing",
    trouble: null,
    troubleDetail: null,
    checkpoint,
    capabilities: sampleCapabilities,
    providerTitle: "Claude Code",
    otherProviderKnown: null,
    sessionIdWellFormed: true,
    sessionLost: false,
    tip: checkpoint?.id ?? null,
    attempts: 1,
    nextAttempt: 2,
    runningAttempt: null,
    sessionHolder: null,
    probe: sampleProbe,
    basis: "probed",
    task: null,
    ...change
  }
}
