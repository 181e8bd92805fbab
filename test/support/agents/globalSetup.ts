/** Installs the chosen agents once before the files that use them start, so that no test's time limit pays for a download. */
import { chosenAgents } from "./catalogue.js"
import { ensureAgents } from "./ensureAgents.js"

export default async (): Promise<void> => {
  await ensureAgents(...chosenAgents(process.env.ALLUKA_TEST_AGENTS))
}
