/** The demo agent's own process: not called by people, so not in the table. */
import { runDemoAgent } from "@alluka/providers"

export const demoAgent = (argv: ReadonlyArray<string>): Promise<number> => runDemoAgent(argv)
