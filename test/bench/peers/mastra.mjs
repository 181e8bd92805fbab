/** A run as a workflow snapshot of Mastra: each commit writes it again. Its durability cannot be set from outside. */
import { join } from "node:path"
import { doRuns, said } from "../runs/work.mjs"

export const open = async (load, home) => {
  const { LibSQLStore } = await load("@mastra/libsql")
  const storage = new LibSQLStore({ id: "bench", url: `file:${join(home, "mastra.db")}` })
  await storage.init()
  const workflows = await storage.getStore("workflows")
  let number = 0
  const commit = (runId, step, status) =>
    workflows.persistWorkflowSnapshot({
      workflowName: "agent",
      runId,
      resourceId: `session-${number % 200}`,
      snapshot: {
        runId,
        status,
        value: {},
        context: { input: { position: step, last_event: said(step), model: "large" } },
        activePaths: [],
        suspendedPaths: {},
        serializedStepGraph: [],
        timestamp: Date.now(),
        waitingPaths: {},
        resumeLabels: {}
      }
    })
  const store = {
    create: async () => {
      number += 1
      const runId = `run-${number}`
      await commit(runId, 0, "running")
      return {
        progress: (step) => commit(runId, step, "running"),
        end: () => commit(runId, 6, "success")
      }
    }
  }
  return { doRuns: (count) => doRuns(store, count), close: async () => storage.close?.() }
}
