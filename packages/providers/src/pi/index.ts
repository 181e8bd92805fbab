/** Pi as a provider: both lines of it, `@mariozechner/pi-coding-agent` 0.73 and `@earendil-works/pi-coding-agent` 1.x. */
import type { ProcessProvider } from "../processProvider.js"
import { abridge } from "./abridge.js"
import { command, screen } from "./argv.js"
import { capabilities } from "./capabilities.js"
import { conversations } from "./conversations.js"
import { decoder, type State } from "./decode.js"
import { envFor, location } from "./location.js"
import { prepare } from "./prepare.js"
import { inspectSession, isSessionId } from "./session.js"

export const pi: ProcessProvider<State> = {
  id: "pi",
  title: "Pi",
  install: "Install it with `npm install -g @earendil-works/pi-coding-agent`.",
  capabilities,
  program: "pi",
  command,
  screen,
  env: ({ conversation }, env) => (conversation._tag === "New" ? {} : envFor(conversation.location, env)),
  prepare,
  decoder,
  abridge,
  // A line of 0.73.1 holds the growing answer twice, and the last one all messages.
  lineBytes: 8 * 1024 * 1024,
  // On TERM it ends its shell too; on INT it just dies.
  politeSignal: () => "SIGTERM",
  sessionIdFor: () => null,
  isSessionId,
  location,
  conversations: (since, env) => conversations(location(env), since),
  inspectSession: (session, cwd, env) => inspectSession(session, cwd, session.location ?? location(env))
}
