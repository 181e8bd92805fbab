/** Codex as a provider. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { ProcessProvider } from "../processProvider.js"
import { isUuid } from "../sessionIds.js"
import { command, screen } from "./argv.js"
import { capabilities } from "./capabilities.js"
import { conversations } from "./conversations.js"
import { decoder, type State } from "./decode.js"
import { nativeBehind } from "./native.js"
import { envFor, inspectSession, location } from "./session.js"

export const codex: ProcessProvider<State> = {
  id: "codex",
  title: "Codex",
  install: "Install it with `npm install -g @openai/codex`.",
  capabilities,
  program: "codex",
  behind: nativeBehind,
  command,
  screen,
  env: ({ conversation }, env) => (conversation._tag === "New" ? {} : envFor(conversation.location, env)),
  decoder,
  // INT is the one signal on which codex ends its tools' whole trees and writes down that the turn was cut.
  politeSignal: () => "SIGINT",
  sessionIdFor: () => null,
  // A text of another form would be taken for a thread's name, and silently start a new thread.
  isSessionId: isUuid,
  location,
  conversations: (since, env) => conversations(location(env), since),
  inspectSession: (session, _cwd, env) => inspectSession(session, env),
  auth: {
    args: ["login", "status"],
    // Exit 0 when signed in. The command knows only codex's own sign-in: a key in the environment, or another model
    // provider in the configuration, works without it.
    read: ({ code, stderr, stdout }, env) => {
      if (code === 0) return Effect.succeed("present")
      if (!/not logged in/i.test(`${stdout}\n${stderr}`)) return Effect.succeed("unknown")
      if ((env.CODEX_API_KEY ?? "") !== "") return Effect.succeed("present")
      return Effect.promise(() => readFile(join(location(env), "config.toml"), "utf8").catch(() => "")).pipe(
        Effect.map((config) => (/^\s*(?:model_provider|env_key)\s*=/m.test(config) ? "unknown" : "absent"))
      )
    }
  }
}
