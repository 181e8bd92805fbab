/** Claude Code as a provider. */
import { getuid } from "node:process"
import * as Effect from "effect/Effect"
import { parseObject } from "../json.js"
import type { ProcessProvider } from "../processProvider.js"
import { isUuid, uuidFor } from "../sessionIds.js"
import { command, screen } from "./argv.js"
import { capabilities, objection } from "./capabilities.js"
import { conversations } from "./conversations.js"
import { decoder, type State } from "./decode.js"
import { envFor, inspectSession, location } from "./session.js"

export const claude: ProcessProvider<State> = {
  id: "claude",
  title: "Claude Code",
  install: "Install it with `npm install -g @anthropic-ai/claude-code`.",
  capabilities,
  program: "claude",
  command,
  screen,
  env: ({ conversation }, env) => (conversation._tag === "New" ? {} : envFor(conversation.location, env)),
  objection: ({ permission }, env) => objection(permission, { root: getuid?.() === 0, sandbox: env.IS_SANDBOX }),
  decoder,
  // INT writes "the user doesn't want to proceed" into the conversation, so it is kept for when that is true.
  politeSignal: (cause) => (cause === "cancel" || cause === "interrupt" ? "SIGINT" : "SIGTERM"),
  sessionIdFor: uuidFor,
  isSessionId: isUuid,
  location,
  conversations: (since, env) => conversations(location(env), since),
  inspectSession: (session, _cwd, env) => inspectSession(session, env),
  auth: {
    args: ["auth", "status"],
    // Exit 0 with `loggedIn: true`, exit 1 with `false`; a key that is set counts, whether it works or not.
    read: ({ stdout }) => {
      const loggedIn = parseObject(stdout)?.loggedIn
      return Effect.succeed(loggedIn === true ? "present" : loggedIn === false ? "absent" : "unknown")
    }
  }
}
