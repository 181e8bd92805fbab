/** opencode as a provider. */
import * as Effect from "effect/Effect"
import type { ProcessProvider } from "../processProvider.js"
import { command, rules, screen } from "./argv.js"
import { capabilities } from "./capabilities.js"
import { decoder, type State } from "./decode.js"
import { envFor, location } from "./location.js"
import { prepare } from "./prepare.js"
import { inspectSession, isSessionId } from "./session.js"

export const opencode: ProcessProvider<State> = {
  id: "opencode",
  title: "OpenCode",
  install: "Install it with `npm install -g opencode-ai`.",
  capabilities,
  program: "opencode",
  command,
  screen,
  env: (request, env) => {
    const { conversation } = request
    const permission = rules(request, env)
    return {
      ...(conversation._tag === "New" ? {} : envFor(conversation.location, env)),
      ...(permission === undefined ? {} : { OPENCODE_PERMISSION: permission })
    }
  },
  prepare,
  decoder,
  // On TERM and INT alike it ends at once and says nothing; its tools are ended by their mark.
  politeSignal: () => "SIGTERM",
  sessionIdFor: () => null,
  isSessionId,
  location,
  inspectSession: (session, _cwd, env, ask) => inspectSession(session, env, ask),
  auth: {
    args: ["auth", "list"],
    // It ends with 0 whatever it finds, and knows nothing of keys in a configuration file.
    read: ({ stdout }) =>
      Effect.succeed(/\b[1-9]\d* (?:credential|environment variable)s?\b/.test(stdout) ? "present" : "unknown")
  }
}
