/** Runs, decisions and models for tests: valid values, changed where a test is about something. */
import { type Checkpoint, type Decision, type Event, Ids, type State } from "@alluka/core"
import type { Message, PageRead } from "../model/Message.js"
import {
  defaultPreferences,
  initialModel,
  type Model,
  type Preferences,
  type Settings,
  type Size
} from "../model/Model.js"
import { sources } from "../model/query.js"
import { type groupNames, groupOf, type Run } from "../model/Run.js"
import { update } from "../update/update.js"

/** 2026-11-30T22:48:03Z */
export const now = Date.UTC(2026, 10, 30, 22, 48, 3)

const minute = 60_000

/** An id from any short text. */
export const idOf = (text: string): Ids.CheckpointId =>
  Ids.CheckpointId.make(
    `ckpt_${text
      .toLowerCase()
      .replace(/[^0-9a-hjkmnp-tv-z]/g, "0")
      .padEnd(12, "0")
      .slice(0, 12)}`
  )

export interface Sample {
  readonly id: string
  readonly title?: string
  readonly state?: State.State
  readonly provider?: string
  readonly model?: string | null
  readonly agent?: string
  readonly reason?: State.ReasonCode
  readonly message?: string
  /** How long ago it ended, or was last active, ms. */
  readonly ago?: number
  readonly ranMs?: number
  readonly turn?: number
  readonly openTool?: string
  readonly seq?: number
  readonly change?: Partial<Checkpoint.Checkpoint>
}

let created = 0

export const checkpointOf = (sample: Sample): Checkpoint.Checkpoint => {
  const state = sample.state ?? "interrupted"
  const ended = now - (sample.ago ?? 4 * minute)
  const started = ended - (sample.ranMs ?? 775_000)
  const provider = sample.provider ?? "claude"
  const model = sample.model === undefined ? "sonnet" : sample.model
  const id = idOf(sample.id)
  const code = sample.reason ?? (state === "failed" ? "provider_error" : "owner_lost")
  created += 1
  return {
    id,
    seq: sample.seq ?? created,
    agent: sample.agent ?? "default",
    sessionId: Ids.SessionId.make("ses_9f2c00000000"),
    taskId: null,
    key: null,
    labels: {},
    title: sample.title ?? "Migrate orders to v2 API",
    spec: {
      origin: "manual",
      prompt: sample.title ?? "Migrate orders to v2 API",
      promptRedacted: false,
      promptTruncated: false,
      knownDamage: 0,
      instruction: null,
      provider,
      providerArgs: [],
      providerArgsRedacted: false,
      permission: "edit",
      addDirs: [],
      workspace: {
        cwd: "/home/ada/src/shop",
        realPath: "/home/ada/src/shop",
        gitHead: "1".repeat(40),
        gitBranch: "main"
      },
      loop: null
    },
    progress: {
      phases: [
        {
          index: 0,
          name: "run",
          provider,
          model: { requested: model, actual: null },
          thinking: { requested: "high", actual: null },
          providerSession: { id: "ses_9f2c", assignedBy: "caller", seenAt: started, location: null },
          state: state === "running" ? "running" : state,
          startedAt: started,
          endedAt: state === "running" ? null : ended
        }
      ],
      phase: 0,
      permissionActual: null,
      position: {
        turn: sample.turn ?? 14,
        messages: 20,
        lastMessageId: null,
        openTool: sample.openTool === undefined ? null : { id: "t1", name: sample.openTool, since: ended },
        lastActivityAt: ended
      },
      usage: { inputTokens: 1200, outputTokens: 3400, costUsd: 0.12 },
      cumulativeUsage: null,
      denied: 0,
      stream: { lines: 40, skipped: 0, oversize: 0 },
      child: null,
      providerExit: null,
      changes: null,
      elapsedMs: sample.ranMs ?? 775_000
    },
    state,
    reason:
      state === "running" || state === "completed"
        ? null
        : {
            code: state === "cancelled" ? "cancelled_by_user" : code,
            message: sample.message ?? "the process that owned this run ended unexpectedly",
            detail: null,
            resetsAt: null,
            resetsAtSource: null,
            exitCode: null,
            signal: null,
            providerText: null,
            truncated: false
          },
    cancelRequested: null,
    startedAt: started,
    updatedAt: ended,
    endedAt: state === "running" ? null : ended,
    reconciledAt: null,
    dismissedAt: null,
    attempt: 1,
    rootId: id,
    resumedFrom: null,
    resumedBy: null,
    forkedFrom: null,
    // Each run has an owner of its own.
    owner: { id: Ids.OwnerId.make(`own_${id.slice("ckpt_".length)}`), host: "box", pid: 41882, pidStart: "1" },
    ...sample.change
  }
}

export const runOf = (sample: Sample, decision: Decision.Decision | null = null): Run => ({
  checkpoint: checkpointOf(sample),
  decision,
  folder: "~/src/shop"
})

const noFacts: Decision.DecisionFacts = {
  ageMs: 240_000,
  maxAgeMs: 86_400_000,
  resetsAt: null,
  owner: null,
  survivorPid: null,
  path: null,
  phase: 1,
  attempts: 1,
  maxAttempts: 10,
  provider: "claude",
  providerSession: "ses_9f2c",
  model: "sonnet",
  thinking: "high",
  permission: "edit",
  holder: null,
  tip: null,
  tasksCompleted: null
}

export const leaveIt: Decision.Alternative = { action: "leave", title: "Leave it", consents: [], argv: [] }

export const decisionOf = (id: string, change: Partial<Decision.Decision> = {}): Decision.Decision => ({
  status: "resuming_same_session",
  scope: "run_session",
  reason: "session_valid",
  cause: null,
  checkpointId: id,
  taskId: null,
  message: `Resume: continuing the interrupted session for checkpoint ${id}.`,
  detail: "Saved session is 0.1 h old (limit 24 h) and will resume from turn 14.",
  keeps: ["conversation", "model", "thinking", "permission", "folder"],
  loses: [],
  warnings: [],
  continuity: "session_file_checked",
  facts: noFacts,
  requires: [],
  alternatives: [],
  evaluatedAt: now,
  basis: "probed",
  ...change
})

/** A saved session that is too old to be resumed unasked. */
export const staleDecision = (id: string): Decision.Decision =>
  decisionOf(id, {
    status: "refusing_to_resume",
    reason: "session_timed_out_requires_confirmation",
    message: `Resume: refusing to resume for checkpoint ${id}.`,
    detail: "The saved session is 48 h old; the limit is 24 h (resume.max_age).",
    keeps: [],
    requires: ["stale"],
    alternatives: [
      {
        action: "resume_with_consent",
        title: "Confirm and resume the old session",
        consents: ["stale"],
        argv: ["resume", id, "--confirm-stale"]
      },
      {
        action: "fresh",
        title: "Start fresh from the original task",
        consents: ["fresh"],
        argv: ["resume", id, "--fresh"]
      },
      leaveIt
    ]
  })

/** Only a fresh start is possible. */
export const freshDecision = (id: string): Decision.Decision =>
  decisionOf(id, {
    status: "refusing_to_resume",
    reason: "fresh_start_requires_confirmation",
    cause: "provider_session_missing",
    message: `Resume: refusing to resume for checkpoint ${id}.`,
    detail: "Codex no longer has the conversation ses_77b1. Only a fresh start is possible.",
    keeps: [],
    loses: ["9 messages of conversation"],
    requires: ["fresh"],
    alternatives: [
      {
        action: "fresh",
        title: "Start fresh from the original task",
        consents: ["fresh"],
        argv: ["resume", id, "--fresh"]
      },
      leaveIt
    ]
  })

/** A refusal that nobody can turn around: another process holds the run. */
export const heldDecision = (id: string, holder: string): Decision.Decision =>
  decisionOf(id, {
    status: "refusing_to_resume",
    reason: "already_running",
    detail: `${holder} has been running since 22:47:01, held by pid 41882 on box.`,
    keeps: [],
    facts: { ...noFacts, holder },
    alternatives: [{ action: "watch", title: "Watch it live", consents: [], argv: ["runs", "watch", holder] }, leaveIt]
  })

export const eventOf = (
  id: string,
  seq: number,
  kind: Event.EventKind,
  message: string,
  more: { readonly at?: number; readonly payload?: Event.Payload } = {}
): Event.StoredEvent => ({
  seq,
  checkpointId: idOf(id),
  taskId: null,
  kind,
  timestamp: more.at ?? now - 300_000 + seq * 1000,
  phase: 0,
  message,
  payload: more.payload ?? {}
})

/** The fourteen runs of a busy evening. */
export const busyEvening = (): ReadonlyArray<Run> => [
  runOf(
    {
      id: "7k3m9x2q",
      title: "Migrate orders to v2 API",
      message: "the process that owned this run ended unexpectedly"
    },
    decisionOf(idOf("7k3m9x2q"))
  ),
  runOf(
    {
      id: "4fq8n1zd",
      title: "Fix flaky checkout test",
      state: "failed",
      provider: "codex",
      model: "gpt-5.4",
      ago: 22 * minute,
      message: "rate limited (429)"
    },
    freshDecision(idOf("4fq8n1zd"))
  ),
  runOf(
    {
      id: "9v2c6h0p",
      title: "Nightly dependency bump",
      provider: "gemini",
      model: "2.5-pro",
      ago: 48 * 60 * minute,
      message: "the machine was restarted while the run was going",
      reason: "host_restarted"
    },
    staleDecision(idOf("9v2c6h0p"))
  ),
  runOf({
    id: "2b7wt5ej",
    title: "Rewrite pricing docs",
    state: "running",
    provider: "pi",
    model: "kimi-k2",
    ago: 2000,
    ranMs: 70_000,
    turn: 6
  }),
  runOf({
    id: "3c8xt6fk",
    title: "Triage inbox automation",
    state: "running",
    provider: "opencode",
    model: "glm-5",
    ago: 1000,
    ranMs: 8000,
    openTool: "browser.click"
  }),
  runOf({ id: "h1", title: "Add CSV export", state: "completed", model: "opus", ago: 60 * minute }),
  runOf({
    id: "h2",
    title: "Rename config keys",
    state: "completed",
    provider: "codex",
    model: "gpt-5.4",
    ago: 180 * minute
  }),
  runOf({
    id: "h3",
    title: "Spike: GraphQL gateway",
    state: "cancelled",
    ago: 300 * minute,
    message: "cancelled with Ctrl-C"
  }),
  runOf({
    id: "h4",
    title: "Release notes 2.3",
    state: "completed",
    provider: "gemini",
    model: "2.5-pro",
    ago: 1440 * minute
  }),
  ...Array.from({ length: 5 }, (_, index) =>
    runOf({ id: `k${index}`, title: `Housekeeping ${index + 1}`, state: "completed", ago: (1500 + index) * minute })
  )
]

export const settings: Settings = {
  ascii: false,
  reducedMotion: true,
  screenReader: false,
  program: "alluka",
  store: "/home/ada/.local/state/alluka",
  home: "/home/ada",
  cwd: "/home/ada/src/shop",
  taskPrefix: "T",
  realCwd: "/home/ada/src/shop"
}

const countsOf = (runs: ReadonlyArray<Run>): Readonly<Record<State.State, number>> => {
  const count = (state: State.State): number =>
    runs.filter(({ checkpoint }) => checkpoint.state === state && checkpoint.dismissedAt === null).length
  return {
    running: count("running"),
    completed: count("completed"),
    interrupted: count("interrupted"),
    failed: count("failed"),
    cancelled: count("cancelled")
  }
}

export const snapshotOf = (
  runs: ReadonlyArray<Run>,
  generation = 0
): Extract<Message, { readonly _tag: "SnapshotRead" }> => {
  const page = (group: (typeof groupNames)[number]): PageRead => ({
    runs: runs.filter(({ checkpoint }) => groupOf(checkpoint) === group),
    cursors: sources[group].map(() => null),
    skipped: 0
  })
  return {
    _tag: "SnapshotRead",
    generation,
    groups: { attention: page("attention"), live: page("live"), history: page("history") },
    counts: countsOf(runs),
    at: now - 1000
  }
}

export const apply = (model: Model, ...messages: ReadonlyArray<Message>): Model =>
  messages.reduce((current, message) => update(current, message)[0], model)

/** A monitor with these runs at a size. */
export const modelOf = (
  runs: ReadonlyArray<Run> = busyEvening(),
  size: Size = { columns: 120, rows: 36 },
  more: { readonly settings?: Partial<Settings>; readonly preferences?: Partial<Preferences> } = {}
): Model =>
  apply(
    initialModel({ ...settings, ...more.settings }, { ...defaultPreferences, ...more.preferences }, size, now),
    snapshotOf(runs)
  )

/** Presses keys by their names, one message each. */
export const press = (model: Model, ...keys: ReadonlyArray<string>): Model =>
  apply(model, ...keys.map((key): Message => ({ _tag: "Pressed", key })))
