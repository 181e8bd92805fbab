/**
 * For tests only: an agent that speaks the protocol and plays a plan. For every method it is asked, the plan has steps;
 * everything that reaches it is logged, one JSON line each.
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { object, parseObject } from "../json.js"
import { script } from "./support.js"

/** What the agent does, in this order. */
export type Act =
  | { readonly answer: unknown }
  | { readonly refuse: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** A `session/update` of this update, for the session `s1` unless another is named. */
  | { readonly update: object; readonly session?: string }
  /** These bytes on stdout. */
  | { readonly raw: string }
  | { readonly stderr: string }
  /** Asks the client, and waits for its answer. */
  | { readonly ask: string; readonly params: object }
  | { readonly wait: number }
  | { readonly exit: number }
  | { readonly kill: string }
  /** Waits for `session/cancel`. */
  | { readonly untilCancelled: true }

export interface Plan {
  readonly methods?: Readonly<Record<string, ReadonlyArray<Act>>>
  /** Goes on when its stdin has ended. */
  readonly stays?: boolean
  /** Ignores TERM. */
  readonly stubborn?: boolean
}

/** The answer to `initialize` of an agent that offers these capabilities of a session. */
export const greeting = (sessionCapabilities: object = {}, more: object = {}): Act => ({
  answer: { protocolVersion: 1, agentCapabilities: { sessionCapabilities, ...more }, authMethods: [] }
})

/** The model's words. */
export const words = (text: string, more: object = {}): Act => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...more }
})

export const endTurn: Act = { answer: { stopReason: "end_turn" } }

const wellBehaved: Readonly<Record<string, ReadonlyArray<Act>>> = {
  initialize: [greeting({ resume: {}, list: {} }, { loadSession: true })],
  "session/new": [{ answer: { sessionId: "s1" } }],
  "session/list": [{ answer: { sessions: [{ sessionId: "s1" }] } }],
  "session/resume": [{ answer: {} }],
  "session/load": [{ answer: {} }],
  "session/set_mode": [{ answer: {} }],
  "session/set_model": [{ answer: {} }],
  "session/prompt": [words("done"), endTurn]
}

export interface FakeAgent {
  readonly path: string
  /** What reached it: messages, and `{"eof":true}` at the end of its stdin. */
  readonly heard: Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** The methods that it was asked for, in order. */
  readonly methods: Effect.Effect<ReadonlyArray<string>>
}

/** Writes the agent into a folder. Methods that the plan leaves out are answered as a well-behaved agent does. */
export const fakeAcpAgent = (folder: string, plan: Plan = {}): Effect.Effect<FakeAgent> =>
  Effect.gen(function* () {
    const log = join(folder, "heard.jsonl")
    const whole = { ...plan, methods: { ...wellBehaved, ...plan.methods } }
    const path = yield* script(folder, "agent", source(JSON.stringify(whole), log))
    const heard = Effect.promise(async () => {
      const text = await readFile(log, "utf8").catch(() => "")
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => object(parseObject(line)))
    })
    const methods = Effect.map(heard, (messages) =>
      messages.flatMap(({ method }) => (typeof method === "string" ? [method] : []))
    )
    return { path, heard, methods }
  })

const source = (plan: string, log: string): string => `
const fs = require("node:fs")
const plan = ${plan}
const note = (message) => fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify(message) + "\\n")
const out = (text) => fs.writeSync(1, text)
const send = (message) => out(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const waiting = new Map()
let asked = 0
let cancelled
const cancel = new Promise((resolve) => { cancelled = resolve })
if (plan.stubborn) process.on("SIGTERM", () => {})
if (plan.stays) setInterval(() => {}, 1000)

const play = async (message) => {
  const acts = plan.methods[message.method]
  if (acts === undefined) {
    if (message.id !== undefined) send({ id: message.id, error: { code: -32601, message: "Method not found" } })
    return
  }
  for (const act of acts) {
    if ("answer" in act) send({ id: message.id, result: act.answer })
    else if ("refuse" in act) send({ id: message.id, error: act.refuse })
    else if ("update" in act) send({ method: "session/update", params: { sessionId: act.session ?? "s1", update: act.update } })
    else if ("raw" in act) out(act.raw)
    else if ("stderr" in act) fs.writeSync(2, act.stderr)
    else if ("ask" in act) {
      const id = "q" + asked++
      const answered = new Promise((resolve) => waiting.set(id, resolve))
      send({ id, method: act.ask, params: act.params })
      await answered
    } else if ("wait" in act) await sleep(act.wait)
    else if ("exit" in act) process.exit(act.exit)
    else if ("kill" in act) { process.kill(process.pid, act.kill); await sleep(10000) }
    else if ("untilCancelled" in act) await cancel
  }
}

let held = ""
process.stdin.on("data", (chunk) => {
  held += chunk
  for (let at = held.indexOf("\\n"); at !== -1; at = held.indexOf("\\n")) {
    const message = JSON.parse(held.slice(0, at))
    held = held.slice(at + 1)
    note(message)
    if (message.method === "session/cancel") cancelled()
    else if (message.method === undefined) waiting.get(message.id)?.(message)
    else void play(message)
  }
})
process.stdin.on("end", () => {
  note({ eof: true })
  if (!plan.stays) process.exit(0)
})
`
