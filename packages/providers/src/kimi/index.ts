/** Kimi Code as a provider. */
import type { ProcessProvider } from "../processProvider.js"
import { command, screen } from "./argv.js"
import { capabilities } from "./capabilities.js"
import { decoder, type State } from "./decode.js"
import { envFor, location } from "./location.js"
import { prepare } from "./prepare.js"
import { inspectSession, isSessionId } from "./session.js"

export const kimi: ProcessProvider<State> = {
  id: "kimi",
  title: "Kimi Code",
  install: "Install it with `npm install -g @moonshot-ai/kimi-code` (Node 22.19 or later).",
  capabilities,
  program: "kimi",
  command,
  screen,
  env: ({ conversation }, env) => (conversation._tag === "New" ? {} : envFor(conversation.location, env)),
  prepare,
  decoder,
  politeSignal: () => "SIGTERM",
  sessionIdFor: () => null,
  isSessionId,
  location,
  inspectSession: (session, _cwd, env) => inspectSession(session, session.location ?? location(env))
}
