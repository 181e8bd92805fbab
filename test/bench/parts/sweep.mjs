/** The start after a crash: 10,000 running runs whose owners are dead, and a start where nothing is to be done. */
import { join } from "node:path"
import { Recovery } from "@alluka/core"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { fillStore } from "../../support/fillStore.mjs"
import { median } from "../measure/statistics.mjs"
import { elapsed } from "../measure/timed.mjs"
import { services } from "../runs/ours.mjs"
import { history } from "../stores/history.mjs"

const runs = 10_000

/** Makes every run of the store a running one of an owner that a restart of this machine has ended. */
const crash = (home, owners) => {
  const database = new Database(join(home, "alluka.db"))
  database.pragma("synchronous = OFF")
  database.transaction(() => {
    database.exec(`WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${owners})
      INSERT OR IGNORE INTO owner (id, host, boot_id, pid, pid_start, pid_namespace, started_at, version)
      SELECT 'own_' || substr('000000000000' || n.value, -12), o.host, 'before', 1, '1', o.pid_namespace, o.started_at, o.version
      FROM (SELECT * FROM owner LIMIT 1) o, n`)
    database.exec(`UPDATE checkpoint SET state = 'running', reason = NULL, reason_code = NULL, ended_at = NULL, reconciled_at = NULL,
      progress = json_set(progress, '$.phases[0].state', 'running', '$.phases[0].endedAt', NULL),
      owner_id = 'own_' || substr('000000000000' || (1 + seq % ${owners}), -12)`)
  })()
  database.pragma("wal_checkpoint(TRUNCATE)")
  database.close()
}

export const sweep = {
  name: "sweep",
  title: "The start after a crash",
  run: async ({ empty, quick }) => {
    const home = empty("crashed")
    await fillStore(home, runs, history)
    const sweeping = { shared: [], own: [] }
    const clean = []
    for (let round = 0; round < (quick ? 3 : 9); round += 1) {
      for (const [name, owners] of [
        ["shared", 100],
        ["own", runs]
      ]) {
        crash(home, owners)
        const runtime = ManagedRuntime.make(services(home))
        const reconcile = () => runtime.runPromise(Effect.flatMap(Recovery.Recovery, (recovery) => recovery.reconcile))
        await runtime.runPromise(Effect.void)
        let ended = 0
        sweeping[name].push(
          await elapsed(async () => {
            ended = (await reconcile()).ended.length
          })
        )
        if (ended !== runs) throw new Error(`a sweep ended ${ended} of ${runs} runs`)
        clean.push(await elapsed(reconcile))
        await runtime.dispose()
      }
    }
    const ms = (id, title, samples) => ({
      id,
      title,
      value: median(samples),
      unit: "ms",
      detail: { samples: samples.length }
    })
    return [
      ms("sweep.shared", "sweep of 10,000 runs of 100 dead owners", sweeping.shared),
      ms("sweep.own", "sweep of 10,000 runs of 10,000 dead owners", sweeping.own),
      ms("sweep.clean", "the same where nothing is to be done", clean)
    ]
  }
}
