/** Plays the steps of a stub agent (script.ts says what each means). */
import { spawn, spawnSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, writeFileSync, writeSync } from "node:fs"
import { dirname } from "node:path"

/** Writes all of it, also into a pipe that is full; a reader that went away is no error here. */
export const write = (descriptor, text) => {
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

export const log = (entry) => appendFileSync(process.env.STUB_LOG, `${JSON.stringify(entry)}\n`)

/** Variables of the environment that a script wants to see in the log. */
export const shownEnv = (names = []) => Object.fromEntries(names.map((name) => [name, process.env[name] ?? null]))

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const forever = () => new Promise(() => setInterval(() => undefined, 60_000))

/** A text with what its places stand for, such as `$SESSION`; `$SESSION8` are the first eight characters of that. */
export const filledBy = (values) => {
  const all = { ...values, SESSION8: values.SESSION.slice(0, 8), HOME: process.env.HOME ?? "" }
  return (text) => text.replaceAll(/\$(SESSION8?|MODEL|PERMISSION|CWD|HOME)\b/g, (_, key) => all[key])
}

/**
 * Plays steps in order. `values`: what the places stand for; `more`: steps of one kind of stub, by their first key.
 */
export const play = async (name, steps, values, more = {}) => {
  const filled = filledBy(values)
  for (const step of steps) {
    const own = Object.keys(more).find((key) => key in step)
    if (own !== undefined) await more[own](step, filled)
    else if ("out" in step) write(1, filled(step.out))
    else if ("bytes" in step) write(1, Buffer.from(step.bytes, "base64"))
    else if ("repeat" in step) for (let n = 0; n < step.repeat.times; n++) write(1, step.repeat.text)
    else if ("err" in step) write(2, filled(step.err))
    else if ("keep" in step) {
      const path = filled(step.keep.path)
      mkdirSync(dirname(path), { recursive: true })
      if (!existsSync(path)) writeFileSync(path, filled(step.keep.text))
    } else if ("touch" in step) writeFileSync(step.touch, "")
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
      const said = spawnSync(
        step.ask[0],
        step.ask.slice(1).map((arg) => (arg === "$RUN" ? process.env.ALLUKA_RUN : arg)),
        { encoding: "utf8" }
      )
      log({ name, asked: step.ask, code: said.status, stdout: said.stdout, stderr: said.stderr })
    } else throw new Error(`unknown step ${JSON.stringify(step)}`)
  }
}
