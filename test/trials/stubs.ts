/** The providers that the trials run as stubs, each with the scripts its real program would print. */
import * as claude from "../support/stub/claudeStream.js"
import * as codex from "../support/stub/codexStream.js"
import { exit, type Step, type Steps } from "../support/stub/script.js"

export interface StubProvider {
  readonly name: string
  /** Opens the conversation under the id it was called with. */
  readonly opening: Steps
  readonly message: (text: string) => Step
  readonly success: Step
  /** Opens, says something, succeeds, exits 0. */
  readonly finished: Steps
  /** Opens, says two things, and never ends. */
  readonly working: Steps
  /** Its answer to a resume of a conversation that is not there. */
  readonly noSession: Steps
  /** A failure that says nothing about the conversation. */
  readonly connectionReset: Steps
  /** The same, before the conversation was opened. */
  readonly connectionResetAtOnce: Steps
  /** Whether it can be given a thinking level. */
  readonly takesThinking: boolean
  /** Opens and reports this model; `null` where the program never names its model. */
  readonly reportingModel: ((model: string) => Steps) | null
}

export const claudeStub: StubProvider = {
  name: "claude",
  opening: [claude.init()],
  message: (text) => claude.text(text),
  success: claude.success(),
  finished: claude.finished,
  working: claude.working,
  noSession: claude.noSession,
  connectionReset: claude.connectionReset,
  connectionResetAtOnce: [{ err: "API Error: Connection error (ECONNRESET)\n" }, exit(1)],
  takesThinking: true,
  reportingModel: (model) => [claude.init({ model }), claude.text("Working on it."), claude.success(), exit(0)]
}

export const codexStub: StubProvider = {
  name: "codex",
  opening: [codex.threadStarted, codex.turnStarted],
  message: (text) => codex.message(text),
  success: codex.turnCompleted(),
  finished: codex.finished,
  working: codex.working,
  noSession: codex.noSession,
  connectionReset: codex.connectionReset,
  connectionResetAtOnce: [{ err: "Error: stream disconnected: ECONNRESET\n" }, exit(1)],
  takesThinking: true,
  reportingModel: null
}

export const stubs: ReadonlyArray<StubProvider> = [claudeStub, codexStub]
