/**
 * Records for tests that go through the store itself. Plain JavaScript, because the writer that is killed runs without a
 * compiler.
 */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const random = () =>
  Array.from(globalThis.crypto.getRandomValues(new Uint8Array(12)), (byte) => alphabet[byte & 31]).join("")

/** A new run of the provider `claude`, with a prompt of the given size in bytes. */
export const newDraft = (title, promptBytes = 200) => {
  const id = `ckpt_${random()}`
  const now = Date.now()
  const setting = { requested: null, actual: null }
  const phase = {
    index: 0,
    name: "run",
    provider: "claude",
    model: setting,
    thinking: setting,
    providerSession: null,
    state: "running",
    startedAt: now,
    endedAt: null
  }
  return {
    id,
    agent: "default",
    sessionId: `ses_${random()}`,
    taskId: null,
    key: null,
    labels: {},
    title,
    spec: {
      origin: "manual",
      prompt: "please ".repeat(Math.ceil(promptBytes / 7)).slice(0, promptBytes),
      promptRedacted: false,
      promptTruncated: false,
      knownDamage: 0,
      instruction: null,
      provider: "claude",
      providerArgs: [],
      providerArgsRedacted: false,
      permission: "edit",
      addDirs: [],
      workspace: { cwd: "/nowhere", realPath: "/nowhere", gitHead: null, gitBranch: null },
      loop: null
    },
    progress: {
      phases: [phase],
      phase: 0,
      permissionActual: null,
      position: { turn: 0, messages: 0, lastMessageId: null, openTool: null, lastActivityAt: now },
      usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
      cumulativeUsage: null,
      denied: 0,
      stream: { lines: 0, skipped: 0, oversize: 0 },
      child: null,
      providerExit: null,
      changes: null,
      elapsedMs: 0
    },
    startedAt: now,
    updatedAt: now,
    attempt: 1,
    rootId: id,
    resumedFrom: null,
    forkedFrom: null
  }
}

export const newEvent = (kind, message) => ({ kind, timestamp: Date.now(), phase: 0, message, payload: {} })

/** The owner's write of an end: completed. */
export const endOf = (checkpoint) => {
  const at = Date.now()
  return {
    id: checkpoint.id,
    owner: checkpoint.owner.id,
    taskId: checkpoint.taskId,
    progress: checkpoint.progress,
    at,
    endedAt: at,
    state: "completed",
    reason: null,
    confirmsResumeOf: null,
    events: [newEvent("state_changed", "completed")]
  }
}

/** The whole reason of an end; `resetsAt`: ms since 1970, for a usage limit. */
export const reasonOf = ({ code, message, resetsAt = null }) => ({
  code,
  message,
  detail: null,
  resetsAt,
  resetsAtSource: resetsAt === null ? null : "structured",
  exitCode: null,
  signal: null,
  providerText: null,
  truncated: false
})
