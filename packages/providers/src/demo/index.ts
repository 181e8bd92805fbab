/** The demo agent as a provider. */
import type { ProcessProvider } from "../processProvider.js"
import { isUuid, uuidFor } from "../sessionIds.js"
import { command } from "./argv.js"
import { capabilities } from "./capabilities.js"
import { decoder, type State } from "./decode.js"
import { inspectSession } from "./session.js"

/**
 * How the demo agent is started: any command that ends in `runDemoAgent`, and the folder of its session files. An app that
 * has no command of its own for it runs `process.execPath` with the file that `@alluka/providers/demo-agent` resolves to.
 */
export interface DemoOptions {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly sessions: string
}

export const demo = (options: DemoOptions): ProcessProvider<State> => ({
  id: "demo",
  title: "Demo agent (a script, no model)",
  install: "It is a part of Alluka: reinstall Alluka.",
  capabilities,
  program: options.command,
  leadingArgs: options.args,
  command: command(options.sessions),
  decoder: (request, location) =>
    decoder(request, (request.conversation._tag === "New" ? null : request.conversation.location) ?? location),
  politeSignal: (cause) => (cause === "cancel" || cause === "interrupt" ? "SIGINT" : "SIGTERM"),
  sessionIdFor: uuidFor,
  isSessionId: isUuid,
  location: () => options.sessions,
  inspectSession: (session) => inspectSession(session, options.sessions)
})
