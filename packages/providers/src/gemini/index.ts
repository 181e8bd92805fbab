/** Gemini CLI as a provider. */
import type { ProcessProvider } from "../processProvider.js"
import { isUuid, uuidFor } from "../sessionIds.js"
import { command, screen } from "./argv.js"
import { capabilities } from "./capabilities.js"
import { conversations } from "./conversations.js"
import { decoder, type State } from "./decode.js"
import { prepare } from "./keep.js"
import { envFor, location } from "./location.js"
import { inspectSession } from "./session.js"

export const gemini: ProcessProvider<State> = {
  id: "gemini",
  title: "Gemini CLI",
  install: "Install it with `npm install -g @google/gemini-cli`.",
  capabilities,
  program: "gemini",
  command,
  screen,
  env: ({ conversation }, env) => ({
    ...(conversation._tag === "New" ? {} : envFor(conversation.location, env)),
    // Otherwise gemini is a launcher that swallows signals, and its worker outlives it.
    GEMINI_CLI_NO_RELAUNCH: "true"
  }),
  prepare,
  decoder,
  politeSignal: () => "SIGTERM",
  // Version 5: gemini names its files after the first 8 characters, which ids of version 7 share for a minute.
  sessionIdFor: uuidFor,
  // It takes a number for "the session at that place in my list", so only whole ids may reach it.
  isSessionId: isUuid,
  location,
  conversations: (since, env) => conversations(location(env), since),
  inspectSession: (session, _cwd, env) => inspectSession(session, env)
}
