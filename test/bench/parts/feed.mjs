/** How long after another process's commit our feed tells of it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Checkpoints, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { quantile } from "../measure/statistics.mjs"
import { services } from "../runs/ours.mjs"

const writer = fileURLToPath(new URL("../runs/writer.mjs", import.meta.url))

export const feed = {
  name: "feed",
  title: "Live, from another process",
  run: async ({ empty, quick }) => {
    const home = empty("feed")
    const count = quick ? 100 : 400
    const runtime = ManagedRuntime.make(services(home))
    await runtime.runPromise(Effect.void)
    const seen = new Map()
    const watching = runtime.runPromise(
      Effect.flatMap(Checkpoints.Checkpoints, (checkpoints) =>
        checkpoints.changes(Scope.operator).pipe(
          Stream.filter(({ kind }) => kind === "message"),
          Stream.take(count),
          Stream.runForEach((event) => Effect.sync(() => void seen.set(event.message, Date.now())))
        )
      )
    )
    const child = spawn(process.execPath, [writer, home, String(count)], { stdio: ["ignore", "pipe", "inherit"] })
    const committed = new Map()
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [message, at] = JSON.parse(line)
      committed.set(message, at)
    })
    await Promise.all([watching, once(child, "close")])
    await runtime.dispose()
    const latencies = [...committed].map(([message, at]) => seen.get(message) - at)
    const ms = (id, title, share) => ({
      id,
      title,
      value: quantile(latencies, share),
      unit: "ms",
      detail: { commits: count }
    })
    return [
      ms("feed.p50", "from a commit of another process to its event, p50", 0.5),
      ms("feed.p95", "from a commit of another process to its event, p95", 0.95)
    ]
  }
}
