/** For tests only: the processes of this machine by Linux's /proc. The real layer is in another package. */
import { readdir, readFile, readlink } from "node:fs/promises"
import { type Checkpoint, HostProcesses, type Ids } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

const read = (path: string): Promise<string | null> => readFile(path, "utf8").catch(() => null)

/** State and start time of a process, from the fields after its name in `stat`. */
const statOf = async (pid: number): Promise<{ readonly state: string; readonly start: string } | null> => {
  const stat = await read(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [state, start] = [fields?.[0], fields?.[19]]
  return state === undefined || start === undefined || state === "Z" || state === "X" ? null : { state, start }
}

const survivorsNow = async (marks: ReadonlyArray<string>): Promise<ReadonlyArray<HostProcesses.Survivor>> => {
  const found: Array<HostProcesses.Survivor> = []
  for (const name of await readdir("/proc")) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const environ = (await read(`/proc/${name}/environ`)) ?? ""
    const mark = marks.find((id) => environ.split("\0").includes(`${HostProcesses.runMark}=${id}`))
    const stat = mark === undefined ? null : await statOf(pid)
    if (mark === undefined || stat === null) continue
    const command = await readlink(`/proc/${name}/exe`).catch(() => name)
    found.push({ pid, pidStart: stat.start, checkpointId: mark as Ids.CheckpointId, command })
  }
  return found
}

const send = async (target: Checkpoint.ProcessIdentity, signal: HostProcesses.Signal): Promise<boolean> => {
  if ((await statOf(target.pid))?.start !== target.pidStart) return false
  try {
    return process.kill(target.pid, signal)
  } catch {
    return false
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const endAll = async (
  marks: ReadonlyArray<string>,
  graceMs: number
): Promise<ReadonlyArray<HostProcesses.Survivor>> => {
  const deadline = performance.now() + graceMs
  let left = await survivorsNow(marks)
  if (graceMs > 0) for (const process of left) await send(process, "SIGTERM")
  while (left.length > 0 && performance.now() < deadline) {
    await pause(20)
    left = await survivorsNow(marks)
  }
  for (let round = 0; left.length > 0 && round < 50; round++) {
    for (const process of left) await send(process, "SIGKILL")
    await pause(20)
    left = await survivorsNow(marks)
  }
  return left
}

export const layer: Layer.Layer<HostProcesses.HostProcesses> = Layer.succeed(HostProcesses.HostProcesses, {
  identify: (pid) =>
    Effect.map(
      Effect.promise(() => statOf(pid)),
      (stat) => (stat === null ? Option.none() : Option.some({ pid, pidStart: stat.start }))
    ),
  survivors: (marks) => Effect.promise(() => survivorsNow(marks)),
  signal: (target, signal) => Effect.promise(() => send(target, signal)),
  endAll: (marks, graceMs) => Effect.promise(() => endAll(marks, graceMs))
})
