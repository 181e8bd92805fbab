/** A run as a thread of LangGraph: each commit is a checkpoint that is put. */
import { join } from "node:path"
import { doRuns, said } from "../runs/work.mjs"

export const open = async (load, home) => {
  const { SqliteSaver } = await load("@langchain/langgraph-checkpoint-sqlite")
  const { emptyCheckpoint } = await load("@langchain/langgraph-checkpoint")
  const saver = SqliteSaver.fromConnString(join(home, "langgraph.db"))
  let number = 0
  let put = 0
  const commit = async (config, step, state) => {
    put += 1
    const checkpoint = emptyCheckpoint()
    checkpoint.id = `1f000000-0000-6000-8000-${put.toString(16).padStart(12, "0")}`
    checkpoint.channel_values = { position: step, last_event: said(step), state, model: "large" }
    return saver.put(config, checkpoint, { source: "loop", step, parents: {}, state }, {})
  }
  // The tables are made by the first one; only then can the durability be set.
  await commit({ configurable: { thread_id: "first", checkpoint_ns: "" } }, 0, "running")
  const durable = (mode) => saver.db.pragma(`synchronous = ${mode}`)
  const store = {
    create: async () => {
      number += 1
      durable("FULL")
      let config = await commit({ configurable: { thread_id: `thread-${number}`, checkpoint_ns: "" } }, 0, "running")
      durable("NORMAL")
      return {
        progress: async (step) => {
          config = await commit(config, step, "running")
        },
        end: async () => {
          durable("FULL")
          await commit(config, 6, "completed")
        }
      }
    }
  }
  return { doRuns: (count) => doRuns(store, count), close: async () => void saver.db.close() }
}
