/** Eight processes that all want the same 200 interrupted runs. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { median } from "../measure/statistics.mjs"
import { openOurs } from "../runs/ours.mjs"

const claimer = fileURLToPath(new URL("../runs/claimer.mjs", import.meta.url))
const processes = 8
const runs = 200

const oneRound = async (home) => {
  const store = openOurs(home)
  await store.interrupt(runs)
  await store.close()
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, [claimer, home], { stdio: ["pipe", "pipe", "inherit"] })
  )
  const lines = children.map((child) => createInterface({ input: child.stdout })[Symbol.asyncIterator]())
  await Promise.all(lines.map((line) => line.next()))
  for (const child of children) child.stdin.write("go\n")
  const results = await Promise.all(lines.map(async (line) => JSON.parse((await line.next()).value)))
  await Promise.all(children.map((child) => child.exitCode ?? once(child, "close")))
  const sum = (of) => results.reduce((all, result) => all + of(result), 0)
  return {
    ms: Math.max(...results.map((result) => result.ms)),
    won: sum((result) => result.won),
    other: sum((result) => result.other)
  }
}

export const claims = {
  name: "claims",
  title: `${processes} processes, the same ${runs} runs`,
  run: async ({ empty, quick }) => {
    const rounds = []
    for (let round = 0; round < (quick ? 3 : 9); round += 1) rounds.push(await oneRound(empty("claims")))
    const wrong = rounds.filter(({ other, won }) => won !== runs || other !== 0)
    if (wrong.length > 0) throw new Error(`of ${runs} runs, claims won ${wrong[0].won}, and ${wrong[0].other} failed`)
    return [
      {
        id: "claims.wall",
        title: "until each was claimed once and every other claim was told that it lost",
        value: median(rounds.map(({ ms }) => ms)),
        unit: "ms",
        detail: { rounds: rounds.length, attempts: processes * runs }
      }
    ]
  }
}
