/** What a running process has used, as Linux tells it. */
import { readFileSync } from "node:fs"

/** Whether this machine tells. */
export const tellsUse = process.platform === "linux"

/** Linux counts in hundredths of a second, whatever its own clock does. */
const tickMs = 10

/** User and system time so far, ms. What else the machine does changes how long a process takes, and this hardly. */
export const cpuMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** The most memory it has had at one time, MB. */
export const peakMb = (pid) =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1024
