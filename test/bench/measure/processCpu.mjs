/** What a whole process costs, from its start to its end. */
import { spawnSync } from "node:child_process"

/**
 * User and system time of a program and its children, ms, as the shell is told when they have ended. What the program
 * answers goes nowhere; an exit code other than 0 is an error, with what it complained of.
 */
export const processCpu = (argv, env) => {
  const { status, stderr, output } = spawnSync(
    "bash",
    ["-c", 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&3', "bash", ...argv],
    { env: { ...env, LC_ALL: "C" }, encoding: "utf8", stdio: ["ignore", "ignore", "pipe", "pipe"] }
  )
  if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${status}:\n${output[3]}`)
  return stderr
    .trim()
    .split(" ")
    .reduce((sum, seconds) => sum + Number(seconds) * 1000, 0)
}
