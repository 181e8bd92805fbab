/** Installs every agent once before the files that use them start, so that no test's time limit pays for a download. */
import { type AgentName, agents } from "./catalogue.js"
import { ensureAgents } from "./ensureAgents.js"

export default async (): Promise<void> => {
  await ensureAgents(...(Object.keys(agents) as ReadonlyArray<AgentName>))
}
