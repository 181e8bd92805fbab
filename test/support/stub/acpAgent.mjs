/**
 * A stub agent that speaks the Agent Client Protocol: opens sessions, keeps settings, and plays the steps that
 * $STUB_SCRIPT holds for its name when it is prompted. A prompt is logged to $STUB_LOG like the call of any other stub,
 * with the settings that the session had by then.
 *
 *   node acpAgent.mjs NAME ARGS...
 */
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { filledBy, log, play, shownEnv, write } from "./play.mjs"

const [name, ...argv] = process.argv.slice(2)
const script = JSON.parse(readFileSync(process.env.STUB_SCRIPT, "utf8"))[name] ?? {}
const { agentCapabilities = {}, options = {} } = script.acp

const lineOf = (message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`
const halfOf = (line) => line.slice(0, line.length / 2)
const send = (message) => write(1, lineOf(message))
const answer = (id, result) => send({ id, result })
const refuse = (id, error) => send({ id, error })

const session = { id: "", resumed: false, forkOf: null, cwd: process.cwd() }
const settings = Object.fromEntries(Object.entries(options).map(([id, values]) => [id, values[0]]))
const configOptions = () =>
  Object.entries(options).map(([id, values]) => ({
    id,
    category: id,
    type: "select",
    currentValue: settings[id],
    options: values.map((value) => ({ value, name: value }))
  }))

const opening = (id, params, { resumed, forkOf = null, to }) => {
  const values = { SESSION: forkOf ?? to, CWD: params.cwd }
  if (resumed && script.storage !== undefined && !existsSync(filledBy(values)(script.storage))) {
    return refuse(id, script.acp.notFound)
  }
  Object.assign(session, { id: script.acp.announce ?? to, resumed, forkOf, cwd: params.cwd })
  const keep = script.keep === undefined ? [] : [{ keep: script.keep }]
  return play(name, keep, { SESSION: to, CWD: params.cwd }).then(() =>
    answer(id, { sessionId: session.id, configOptions: configOptions() })
  )
}

/** The prompt that is being worked on. */
let pending = null
/** Whether it stays when its input ends. */
let lingers = false

const greeted = (id) => {
  const { greeting } = script.acp
  const result = { protocolVersion: 1, agentCapabilities, authMethods: [] }
  if (greeting === undefined) return answer(id, result)
  if (greeting.half) write(1, halfOf(lineOf({ id, result })))
  writeFileSync(greeting.reached, "")
}

const prompted = (id, params) => {
  pending = id
  const stdin = params.prompt.map((part) => part.text ?? "").join("")
  log({
    name,
    argv,
    cwd: session.cwd,
    stdin,
    at: Date.now(),
    pid: process.pid,
    run: process.env.ALLUKA_RUN ?? null,
    session: session.id,
    resumed: session.resumed,
    forkOf: session.forkOf,
    command: null,
    settings: { ...settings },
    env: shownEnv(script.showEnv)
  })
  const values = { SESSION: session.id, MODEL: settings.model, PERMISSION: settings.mode, CWD: session.cwd }
  const steps = (session.resumed ? (script.resume ?? script.fresh) : script.fresh) ?? []
  return play(name, steps, values, {
    update: ({ half, update }, filled) => {
      const line = lineOf({
        method: "session/update",
        params: { sessionId: session.id, update: JSON.parse(filled(JSON.stringify(update))) }
      })
      write(1, half === true ? halfOf(line) : line)
    },
    linger: () => {
      lingers = true
    },
    answer: ({ answer: result }) => {
      pending = null
      answer(id, result)
    },
    refuse: ({ refuse: error }) => {
      pending = null
      refuse(id, error)
    }
  })
}

const heard = (message) => {
  const { id, method, params = {} } = message
  switch (method) {
    case "initialize":
      return greeted(id)
    case "session/new":
      return opening(id, params, { resumed: false, to: `${script.idPrefix ?? ""}${randomUUID()}` })
    case "session/load":
    case "session/resume":
      return opening(id, params, { resumed: true, to: params.sessionId })
    case "session/fork":
      return opening(id, params, {
        resumed: true,
        forkOf: params.sessionId,
        to: `${script.idPrefix ?? ""}${randomUUID()}`
      })
    case "session/set_config_option":
      settings[params.configId] = params.value
      return answer(id, { configOptions: configOptions() })
    case "session/prompt":
      return prompted(id, params)
    case "session/cancel":
      if (pending !== null) answer(pending, { stopReason: "cancelled" })
      return
    default:
      return id === undefined ? undefined : refuse(id, { code: -32601, message: "Method not found" })
  }
}

let held = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (chunk) => {
  held += chunk
  for (let at = held.indexOf("\n"); at !== -1; at = held.indexOf("\n")) {
    const line = held.slice(0, at)
    held = held.slice(at + 1)
    void heard(JSON.parse(line))
  }
})
process.stdin.once("end", () => {
  if (!lingers) process.exit(0)
})
