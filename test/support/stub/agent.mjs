/**
 * A stub agent: appends how it was called to $STUB_LOG, then plays the steps that $STUB_SCRIPT holds for its name.
 *
 *   node agent.mjs NAME ARGS...
 *
 * Every invocation is logged and plays, whatever it asks for: a product that calls a provider's program for anything but
 * a run shows up in the log. The log line is written when stdin has been read to its end.
 */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs"

const [name, ...argv] = process.argv.slice(2)
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
const after = (...flags) => {
  const at = argv.findIndex((arg) => flags.includes(arg))
  return at < 0 ? undefined : argv[at + 1]
}
const resumed =
  after("--resume", "-r", "--session") ?? (argv.includes("resume") ? argv.find((arg) => uuid.test(arg)) : undefined)
const values = {
  SESSION: resumed ?? after("--session-id") ?? process.env.STUB_SESSION ?? randomUUID(),
  MODEL: after("--model", "-m") ?? "stub-default-model",
  PERMISSION: after("--permission-mode") ?? "default",
  CWD: process.cwd()
}
const filled = (text) => text.replaceAll(/\$(SESSION|MODEL|PERMISSION|CWD)\b/g, (_, key) => values[key])

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
appendFileSync(
  process.env.STUB_LOG,
  `${JSON.stringify({ name, argv, cwd: process.cwd(), stdin, at: Date.now(), pid: process.pid, run: process.env.ALLUKA_RUN ?? null, session: values.SESSION, resumed: resumed !== undefined })}\n`
)

const scripts = JSON.parse(readFileSync(process.env.STUB_SCRIPT, "utf8"))[name] ?? {}
const steps = (resumed === undefined ? scripts.fresh : (scripts.resume ?? scripts.fresh)) ?? []

/** Writes all of it, also into a pipe that is full; a reader that went away is no error here. */
const write = (descriptor, text) => {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (cause) {
      if (cause.code === "EPIPE") return
      if (cause.code !== "EAGAIN") throw cause
    }
  }
}
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const forever = () => new Promise(() => setInterval(() => undefined, 60_000))

for (const step of steps) {
  if ("out" in step) write(1, filled(step.out))
  else if ("err" in step) write(2, filled(step.err))
  else if ("wait" in step) await sleep(step.wait)
  else if ("flood" in step) {
    const { bytes, lines, to } = step.flood
    const piece = lines ? `${"x".repeat(1023)}\n`.repeat(256) : "x".repeat(256 * 1024)
    for (let written = 0; written < bytes; written += piece.length) write(to === "out" ? 1 : 2, piece)
  } else if ("until" in step) while (!existsSync(step.until)) await sleep(10)
  else if ("forever" in step) await forever()
  else if ("closeStdout" in step) process.stdout.destroy()
  else if ("ignore" in step) for (const signal of step.ignore) process.on(signal, () => undefined)
  else if ("exit" in step) process.exit(step.exit)
  else if ("signal" in step) {
    process.kill(process.pid, step.signal)
    await forever()
  } else if ("grandchild" in step) {
    const { seconds, ownSession = true } = step.grandchild
    spawn("sleep", [String(seconds)], { detached: ownSession, stdio: "ignore" }).unref()
  } else if ("ask" in step) {
    // Runs a program and logs what it said: for looking at the product's own records from inside a run.
    const { spawnSync } = await import("node:child_process")
    const said = spawnSync(
      step.ask[0],
      step.ask.slice(1).map((arg) => (arg === "$RUN" ? process.env.ALLUKA_RUN : arg)),
      { encoding: "utf8" }
    )
    appendFileSync(
      process.env.STUB_LOG,
      `${JSON.stringify({ name, asked: step.ask, code: said.status, stdout: said.stdout, stderr: said.stderr })}\n`
    )
  } else throw new Error(`unknown step ${JSON.stringify(step)}`)
}
