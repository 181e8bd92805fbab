/** A server with chat completions, played by the model server of the tests. The conversation is Alluka's own. */
import { writeFileSync } from "node:fs"
import { onTestFinished } from "vitest"
import { type ModelServer, startModelServer } from "../support/modelServer/ModelServer.js"
import { openWorld } from "../support/world.js"
import { configure } from "./lines.js"
import type { Point } from "./points.js"
import { instruction, task } from "./runs.js"
import type { EndName, Plan, Stage, Subject } from "./subject.js"

const id = "my-server"

/** What the server says until it says no more. */
const cutAt: Readonly<Partial<Record<Point, string>>> = {
  silent: "stall",
  firstLine: "half-first",
  opened: "silent",
  message: "slow",
  midLine: "half",
  result: "unended"
}

const ends: Readonly<Record<EndName, string>> = { failure: "404", limit: "usage", auth: "401" }

const scenarioOf = (plan: Plan): string => {
  switch (plan.do) {
    case "finish":
      return "text"
    case "work":
      return "slow"
    case "stopAt":
      return cutAt[plan.point] ?? "text"
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
      if (plan.do === "stopAt") {
        // What was sent of an answer has arrived a moment after its request.
        const asked = server.waitForRequest(() => true, { after: server.requests.length })
        asked.then(() => setTimeout(() => writeFileSync(plan.reached, ""), 300)).catch(() => undefined)
      }
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
  announcedAt: "created",
  storedAt: "silent",
  lacking: {
    tool: "it is offered no tools",
    toolDone: "it is offered no tools",
    exited: "there is no process that could end before the answer does"
  },
  lastWord: "success",
  storage: { rows: true, file: (world, session) => `${world.store}/transcripts/${session}.jsonl` },
  ends: { failure: ["model_unavailable"], limit: ["usage_limit"], auth: ["auth_required"] },
  entry: entryOf("http://127.0.0.1:1"),
  without: ["babble", "forget", "announce", "process"]
}
