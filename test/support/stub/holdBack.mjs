/**
 * Runs a program and passes its lines on up to one of them; there it stops the program, passes on what is told of that
 * line, makes a file, and stays for ever, or until it may let the rest through.
 *
 *   node holdBack.mjs PLAN.json PROGRAM ARGS...
 *
 * The plan: `lines` that pass whole (`null`: all before the one of type `last`, or with it where `go` is null), whether
 * `half` of the next does, the file `reached`, and the file `go` that lets the rest through.
 */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { write } from "./play.mjs"

const [plan, program, ...args] = process.argv.slice(2)
const { go, half, last, lines, reached } = JSON.parse(readFileSync(plan, "utf8"))
const child = spawn(program, args, { stdio: ["inherit", "pipe", "inherit"] })
const held = []
let passed = 0
let holding = false

// A program that is stopped hears of nothing else.
process.on("SIGTERM", () => {
  child.kill("SIGKILL")
  process.exit(143)
})

const isLast = (line) => line.includes(`"type":"${last}"`)

const hold = () => {
  holding = true
  if (go === null) child.kill("SIGSTOP")
  writeFileSync(reached, "")
  const timer = setInterval(() => {
    if (go === null || !existsSync(go)) return
    clearInterval(timer)
    for (const line of held) write(1, `${line}\n`)
    process.exit(0)
  }, 20)
}

createInterface({ input: child.stdout }).on("line", (line) => {
  if (holding) {
    held.push(line)
    return
  }
  if (lines === null ? go !== null && isLast(line) : passed === lines) {
    if (half) write(1, line.slice(0, line.length / 2))
    held.push(line)
    hold()
    return
  }
  write(1, `${line}\n`)
  passed += 1
  if (lines === null && go === null && isLast(line)) hold()
})
