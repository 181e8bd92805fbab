/**
 * A stub agent: appends how it was called to $STUB_LOG, then plays the steps that $STUB_SCRIPT holds for its name.
 *
 *   node agent.mjs NAME ARGS...
 *
 * Every invocation is logged and plays, whatever it asks for: a product that calls a provider's program for anything but
 * a run shows up in the log. The log line is written when stdin has been read to its end.
 */
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { filledBy, log, play, shownEnv } from "./play.mjs"

const [name, ...argv] = process.argv.slice(2)
const script = JSON.parse(readFileSync(process.env.STUB_SCRIPT, "utf8"))[name] ?? {}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
const after = (...flags) => {
  const at = argv.findIndex((arg) => flags.includes(arg))
  const value = at < 0 ? undefined : argv[at + 1]
  return value?.startsWith("--") ? undefined : value
}
const command = script.commands?.[argv[0]]
const subcommand = argv.includes("resume") || argv.includes("fork")
const continued =
  after("--resume", "-r", "--session", "--fork") ?? (subcommand ? argv.find((arg) => uuid.test(arg)) : undefined)
const forked = argv.some((arg) => ["--fork", "--fork-session", "fork"].includes(arg))
const values = {
  SESSION:
    (forked ? undefined : continued) ??
    after("--session-id") ??
    process.env.STUB_SESSION ??
    `${script.idPrefix ?? ""}${randomUUID()}`,
  MODEL: after("--model", "-m") ?? "stub-default-model",
  PERMISSION: after("--permission-mode") ?? "default",
  CWD: process.cwd()
}

const stdin = await new Promise((resolve) => {
  let text = ""
  const done = () => resolve(text)
  process.stdin.setEncoding("utf8")
  process.stdin.on("data", (chunk) => {
    text += chunk
  })
  process.stdin.once("end", done)
  process.stdin.once("error", done)
  setTimeout(done, 3000).unref()
})
log({
  name,
  argv,
  cwd: process.cwd(),
  stdin,
  at: Date.now(),
  pid: process.pid,
  run: process.env.ALLUKA_RUN ?? null,
  session: values.SESSION,
  resumed: continued !== undefined,
  forkOf: forked ? (continued ?? null) : null,
  command: command === undefined ? null : argv[0],
  env: shownEnv(script.showEnv)
})

/** A conversation that the agent does not have cannot be gone on with, where the script says where it would be. */
const stored = filledBy({ ...values, SESSION: continued ?? values.SESSION })
const lost = continued !== undefined && script.storage !== undefined && !existsSync(stored(script.storage))
const steps =
  command ?? (lost ? script.lost : continued === undefined ? script.fresh : (script.resume ?? script.fresh)) ?? []
await play(name, steps, values)
