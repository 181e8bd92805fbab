/** What a running process has used so far. Linux only: elsewhere nobody tells without a program of its own. */
import { readFileSync } from "node:fs"

export const canTell = process.platform === "linux"

/** Linux tells times in ticks of 10 ms, whatever the kernel's own are. */
const msOfTick = 10

/** User and system time of one process, its children left out, ms. */
export const cpuOf = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The name, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * msOfTick
}
