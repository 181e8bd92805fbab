/** A server with chat completions, played by the model server of the tests. The conversation is Alluka's own. */
import { onTestFinished } from "vitest"
import { type ModelServer, startModelServer } from "../support/modelServer/ModelServer.js"
import { openWorld } from "../support/world.js"
import { configure } from "./lines.js"
import { instruction, task } from "./runs.js"
import type { EndName, Plan, Stage, Subject } from "./subject.js"

const id = "my-server"

/** Points at which the server says no more: the request is there, the stream is open, words are coming. */
const points = ["stall", "silent", "slow"] as const

const ends: Readonly<Record<EndName, string>> = { failure: "404", limit: "usage", auth: "401" }

const scenarioOf = (plan: Plan): string => {
  switch (plan.do) {
    case "finish":
      return "text"
    case "work":
      return "slow"
    case "stopAt":
      return points[plan.point] ?? "stall"
    case "end":
      return ends[plan.how]
    case "cut":
      return "drop"
    default:
      throw new Error(`a server does not ${plan.do}`)
  }
}

const entryOf = (url: string): object => ({
  type: "api",
  base_url: `${url}/v1`,
  model: "m-default",
  key_variable: "MY_KEY"
})

const openServer = async (): Promise<Stage> => {
  const server: ModelServer = await startModelServer()
  onTestFinished(() => server.close())
  const world = openWorld({ env: { MY_KEY: "sk-test-dummy" } })
  configure(world, { [id]: entryOf(server.url) })
  return {
    world,
    plan: (plan) => {
      server.force({ name: scenarioOf(plan), argument: null }, 1000)
      return {}
    },
    heard: () =>
      server.requests.map(({ effort, model, userTexts }) => ({
        prompt: userTexts.at(-1),
        // Messages of the user that follow each other may be sent as one.
        resumed: userTexts.length > 1 || [task, instruction].every((text) => userTexts[0]?.includes(text) === true),
        session: undefined,
        forkOf: null,
        model,
        thinking: effort,
        permission: undefined,
        cwd: undefined,
        earlier: userTexts.slice(0, -1)
      }))
  }
}

export const serverSubject: Subject = {
  id,
  label: "api",
  open: openServer,
  announcedAt: 0,
  storedAt: 0,
  points: points.map((_, point) => point),
  storage: { rows: true, file: (world, session) => `${world.store}/transcripts/${session}.jsonl` },
  ends: { failure: ["model_unavailable"], limit: ["usage_limit"], auth: ["auth_required"] },
  entry: entryOf("http://127.0.0.1:1"),
  without: ["babble", "forget", "announce", "process"]
}
