import { describe, expect, test } from "@effect/vitest"
import { Ajv, type ValidateFunction } from "ajv"
import * as Either from "effect/Either"
import { Checkpoint } from "../checkpoint/Checkpoint.js"
import { EventKind, StoredEvent } from "../checkpoint/Event.js"
import { Capabilities } from "../provider/Capabilities.js"
import { Decision } from "../resume/Decision.js"
import * as Schema from "../Schema.js"
import { Task } from "../task/Task.js"
import { noon, sampleCheckpoint } from "../testing/samples.js"
import { cancelResultDocument } from "./cancelResult.js"
import { checkpointDocument, checkpointListDocument, isResumable } from "./checkpointDocument.js"
import { decisionPayload, resumePreview } from "./decisionDocument.js"
import { decisionLine, eventLine, heartbeatLine, timelineDocument } from "./eventLine.js"
import { importResultDocument } from "./importResult.js"
import { iso, jsonText } from "./json.js"
import { providerListDocument } from "./providerList.js"
import { backupResultDocument, configDocument, doctorReportDocument, errorDocument, logLine } from "./reports.js"
import { refusalSummary, runSummary } from "./runSummary.js"
import { jsonSchema, kinds, schemas } from "./schemas.js"
import { agentListDocument, sessionDocument, sessionListDocument } from "./sessionDocument.js"
import { taskDocument, taskListDocument } from "./taskDocument.js"

/** Arbitraries of schemas are made with the library's own version. */
const fc = Schema.FastCheck

/** What has been through the store is finite: JSON has no other numbers. */
const finite = (value: unknown): unknown => {
  if (typeof value === "number") return Number.isFinite(value) ? value : 0
  if (Array.isArray(value)) return value.map(finite)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, finite(each)]))
}

const arbitrary = <A, I>(schema: Schema.Schema<A, I>): Schema.FastCheck.Arbitrary<A> =>
  Schema.Arbitrary.make(schema).map((value) => finite(value) as A)

/** Text that breaks careless writers. */
const nasty = fc.constantFrom("\ud83d", "\ude00 half", "\\ud800", '"\\', "\u2028", "\u0000\u001b[31m", "修复 👨‍👩‍👧‍👦")

const checkpoints: Schema.FastCheck.Arbitrary<Checkpoint> = fc
  .tuple(arbitrary(Checkpoint), nasty, nasty)
  .map(([checkpoint, title, label]) => ({
    ...checkpoint,
    title,
    labels: { ...checkpoint.labels, [label]: label },
    progress: {
      ...checkpoint.progress,
      phase: checkpoint.progress.phases.length === 0 ? 0 : checkpoint.progress.phase % checkpoint.progress.phases.length
    }
  }))
const withPhases = checkpoints.filter(({ progress }) => progress.phases.length > 0)
const decisions = arbitrary(Decision)
const judged = fc.option(decisions, { nil: null })

const ajv = new Ajv({ strict: false, allErrors: true })
const validators = new Map<string, ValidateFunction>(
  kinds.map((kind) => [kind, ajv.compile(jsonSchema(kind) ?? false)])
)

/** What a strict reader makes of a document: the text is JSON without half characters, and follows both forms of its schema. */
const read = (document: { readonly kind: string }): Record<string, unknown> => {
  const text = jsonText(document)
  expect(text).not.toContain("\n")
  expect(text.isWellFormed()).toBe(true)
  const value: Record<string, unknown> = JSON.parse(text)
  expectWellFormed(value)
  expect(Object.keys(value).slice(0, 2)).toEqual(["kind", "version"])
  const schema = schemas[document.kind]
  if (schema === undefined) throw new Error(`no schema for ${document.kind}`)
  const decoded = Schema.decodeUnknownEither(schema, { onExcessProperty: "error", errors: "all" })(value)
  expect(Either.isRight(decoded) ? "" : String(decoded.left)).toBe("")
  const validate = validators.get(document.kind)
  expect(validate?.(value) === true ? [] : validate?.errors).toEqual([])
  return value
}

const expectWellFormed = (value: unknown): void => {
  if (typeof value === "string") expect(value.isWellFormed()).toBe(true)
  else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      expect(name.isWellFormed()).toBe(true)
      expectWellFormed(each)
    }
  }
}

const holds = <A>(values: Schema.FastCheck.Arbitrary<A>, check: (value: A) => void): void => {
  fc.assert(fc.property(values, check), { numRuns: 40 })
}

describe("every document follows its schema, whatever it is made of", () => {
  test("checkpoint", () => {
    holds(fc.tuple(checkpoints, judged), ([checkpoint, decision]) => {
      read(checkpointDocument(checkpoint, decision))
    })
  })

  test("checkpoint_list", () => {
    const items = fc.array(fc.record({ checkpoint: checkpoints, decision: judged }), { maxLength: 3 })
    holds(items, (each) => {
      read(checkpointListDocument({ total: null, nextCursor: "abc", skipped: 1 }, each))
    })
  })

  test("resume_preview, resume_decision", () => {
    holds(decisions, (decision) => {
      const preview = read(resumePreview(decision))
      const { payload, ...line } = read({ ...decisionLine({ ...decision, facts: { ...decision.facts, phase: 2 } }) })
      expect({ ...(payload as object), facts: null }).toEqual({
        ...preview,
        kind: undefined,
        version: undefined,
        facts: null
      })
      expect(line).toMatchObject({ seq: null, message: preview.message, task_id: preview.task_id })
    })
  })

  test("events and timeline", () => {
    const events = fc
      .tuple(arbitrary(StoredEvent), fc.constantFrom(...EventKind.literals), fc.nat(1e6), fc.nat(5))
      .map(([event, kind, seq, phase]) => ({ ...event, kind, seq, phase }))
    holds(events, (event) => {
      const text = jsonText(timelineDocument(event.checkpointId, [event]))
      expect(JSON.parse(text).items).toHaveLength(1)
      if (event.kind !== "resume_decision") read(eventLine({ ...event, payload: {} }))
    })
  })

  test("run_summary", () => {
    holds(fc.tuple(checkpoints, decisions, fc.boolean()), ([checkpoint, decision, ended]) => {
      read(runSummary({ checkpoint, ended, exitCode: 8 }))
      read(refusalSummary(decision, 5))
      read(refusalSummary(null, 2))
    })
  })

  test("session, session_list, agent_list", () => {
    holds(fc.array(withPhases, { minLength: 1, maxLength: 4 }), (runs) => {
      read(sessionListDocument(runs))
      read(agentListDocument(runs))
      const sessionId = runs[0]?.sessionId
      const document = sessionDocument(
        runs.filter((run) => run.sessionId === sessionId).map((checkpoint) => ({ checkpoint, decision: null }))
      )
      if (document === null) throw new Error("no session")
      read(document)
    })
  })

  test("task, task_list", () => {
    holds(arbitrary(Task), (raw) => {
      const task = { ...raw, position: Math.abs(raw.position) }
      read(taskDocument(task))
      read(taskListDocument([task, task]))
    })
  })

  test("provider_list", () => {
    holds(fc.tuple(arbitrary(Capabilities), fc.boolean()), ([capabilities, installed]) => {
      const availability = installed
        ? ({ _tag: "Installed", command: "claude", version: null } as const)
        : ({ _tag: "Missing", command: "claude" } as const)
      read(
        providerListDocument([
          {
            provider: { id: "claude", title: "Claude Code", install: "npm i", capabilities },
            availability,
            version: null
          }
        ])
      )
    })
  })

  test("import_result", () => {
    holds(
      fc.tuple(checkpoints, nasty, fc.constantFrom(null, "finished" as const, "in_use" as const)),
      ([checkpoint, text, left]) => {
        const conversation = {
          ...{ id: text, location: null, cwd: text, prompt: text, model: text, thinking: null, permission: null },
          ...{ startedAt: noon, lastActivityAt: noon, turns: 1, messages: 2, openTool: null, stopped: text },
          inUse: "unknown"
        } as const
        const redact = (each: string): string => each
        read(importResultDocument([{ provider: "claude", conversation, checkpoint, left }], redact))
        read(importResultDocument([{ provider: "claude", conversation, checkpoint: null, left }], redact))
      }
    )
  })

  test("cancel_result", () => {
    holds(checkpoints, (checkpoint) => {
      read(cancelResultDocument([{ checkpoint, outcome: "cancelled", ended: [{ pid: 1, command: "node" }], left: [] }]))
    })
  })

  test("config, doctor_report, backup_result, error, program_version, log_line, heartbeat", () => {
    holds(fc.tuple(decisions, nasty), ([decision, text]) => {
      read(
        configDocument(
          {
            paths: { store: text },
            safety: { trusted: false, dirty: null, gate_enabled: false, revert_mode: null, interactive: false },
            execution_controls: { providers: [text], thinking: { claude: ["high"] }, permissions: ["read", "edit"] },
            config: { run: { provider: text } },
            origins: null
          },
          decision
        )
      )
      read(doctorReportDocument([{ id: "store", status: "problem", message: text, detail: null, try: [] }]))
      read(backupResultDocument({ file: text, store: text, bytes: 4096, schema: 2, runs: 1, seq: 7, madeAt: noon }))
      read(
        errorDocument({ code: "store_locked", message: text, detail: text, retryable: true, try: [text], place: null })
      )
      read(logLine("ckpt_000000000000", { at: noon, from: "stderr", text }))
      read(
        heartbeatLine({
          checkpointId: "ckpt_000000000000",
          taskId: null,
          phase: 0,
          at: noon,
          message: text,
          payload: { elapsed_ms: 5 }
        })
      )
    })
  })
})

describe("the conventions", () => {
  test("names are snake_case, but a person's own labels stay as they are", () => {
    holds(withPhases, (checkpoint) => {
      const { labels, ...rest } = read(checkpointDocument({ ...checkpoint, labels: { teamName: "a" } }, null))
      expect(labels).toEqual({ teamName: "a" })
      const check = (value: unknown): void => {
        if (typeof value !== "object" || value === null) return
        for (const [name, each] of Object.entries(value)) {
          if (!Array.isArray(value)) expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
          check(each)
        }
      }
      check(rest)
    })
  })

  test("times are ISO 8601 with milliseconds, also those that no calendar holds", () => {
    expect(iso(noon)).toBe("2026-11-30T12:00:00.000Z")
    for (const time of [9e15, -9e15, Number.MAX_SAFE_INTEGER]) expect(Date.parse(iso(time))).not.toBeNaN()
  })

  test("what needs only a consent is resumable, a refusal without a way is not", () => {
    const decision = {
      status: "refusing_to_resume",
      reason: "usage_limit_not_reset",
      requires: ["limit"],
      basis: "record"
    } as const
    expect(isResumable(decision)).toBe(true)
    expect(isResumable({ ...decision, reason: "checkpoint_completed", requires: [] })).toBe(false)
    expect(isResumable({ ...decision, status: "resuming_same_session", reason: "session_valid", requires: [] })).toBe(
      true
    )
  })

  test("text that looks like half a character is left alone", () => {
    expect(jsonText({ a: "\\ud800", "\ud800": "\ud83d😀" })).toBe('{"a":"\\\\ud800","\ufffd":"\ufffd😀"}')
  })
})

describe("schemas", () => {
  test("there is one for every document and every kind of event", () => {
    for (const kind of EventKind.literals) expect(kinds).toContain(kind)
    expect(jsonSchema("nothing")).toBeUndefined()
    expect(jsonSchema("toString")).toBeUndefined()
  })

  test("they are open to additions, and closed to what is missing or wrong", () => {
    const validate = ajv.compile(jsonSchema("error") ?? false)
    const place = { path: "/c.json", line: 3, column: 5 }
    const error = errorDocument({ code: "a", message: "b", detail: null, retryable: false, try: [], place })
    expect(error).toMatchObject(place)
    expect(validate({ ...error, later: 1 })).toBe(true)
    expect(validate({ ...error, detail: 5 })).toBe(false)
    expect(validate({ ...error, kind: "other" })).toBe(false)
    expect(validate({ ...error, code: undefined })).toBe(false)
  })

  test("the committed files are what the code says", () => {
    const committed = import.meta.glob("../../../../docs/schemas/*.json", {
      eager: true,
      query: "?raw",
      import: "default"
    })
    const files = new Map(
      Object.entries(committed).map(([path, text]) => [/([^/]+)\.json$/.exec(path)?.[1], JSON.parse(text)])
    )
    // The file of the configuration is written by people, and described by what reads it.
    expect([...files.keys()].sort()).toEqual([...kinds, "config_file"].sort())
    for (const kind of kinds) expect(files.get(kind), kind).toEqual(jsonSchema(kind))
  })
})

test("fifty documents cost little", () => {
  const [decision] = fc.sample(decisions, { numRuns: 1, seed: 7 })
  if (decision === undefined) throw new Error("no sample")
  const items = Array.from({ length: 50 }, () => ({ checkpoint: sampleCheckpoint(), decision }))
  const once = (): number => {
    const started = performance.now()
    checkpointListDocument({ total: 50, nextCursor: null, skipped: 0 }, items)
    return performance.now() - started
  }
  for (let round = 0; round < 200; round++) once()
  expect(Math.min(...Array.from({ length: 50 }, once))).toBeLessThan(5)
})

test("a decision's payload is complete", () => {
  const [decision] = fc.sample(decisions, { numRuns: 1, seed: 3 })
  if (decision === undefined) throw new Error("no sample")
  expect(Object.keys(decisionPayload(decision)).length).toBe(Object.keys(Decision.fields).length)
  expect(Object.keys(decisionPayload(decision).facts).length).toBe(Object.keys(Decision.fields.facts.fields).length)
})

declare global {
  interface ImportMeta {
    /** Files as the test runner reads them, by path. */
    readonly glob: (pattern: string, options: object) => Readonly<Record<string, string>>
  }
}

/** Part of the language; core's tests compile without any platform's types. */
declare const performance: { readonly now: () => number }
