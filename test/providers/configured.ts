/** Programs that are providers by configuration alone: one that continues conversations, and one that cannot. */
import { exit, line, type StubStart, stderr } from "../support/stub/script.js"
import { after, lineSubject, type Voice } from "./lines.js"
import type { Subject } from "./subject.js"

const words = {
  opened: (id: string) => [line({ type: "start", id, model: "$MODEL" })],
  said: (text: string) => [line({ type: "say", text })],
  tool: [[], []],
  lacking: { tool: "its lines tell of no tools", toolDone: "its lines tell of no tools" },
  succeeded: () => [line({ type: "end" })],
  noSession: [stderr("unknown session $SESSION\n"), exit(1)],
  announcedAt: "opened",
  ends: {
    failure: { steps: [line({ type: "error", text: "something new" }), exit(1)], code: ["provider_error"] },
    limit: { steps: [line({ type: "error", text: "limit reached" }), exit(0)], code: ["usage_limit"] },
    auth: { steps: [stderr("not signed in\n"), exit(1)], code: ["auth_required"] }
  }
} as const

const output = {
  format: "json",
  session: { when: { type: "start" }, path: "id" },
  model: { when: { type: "start" }, path: "model" },
  message: { when: { type: "say" }, path: "text" },
  end: { when: { type: "end" } },
  error: { when: { type: "error" }, path: "text" }
}

const answers = {
  no_such_session: ["unknown session"],
  usage_limit: ["limit reached"],
  auth: ["not signed in"]
}

const settings = [
  ["--model", "{model}"],
  ["--effort", "{thinking}"],
  ["--may", "{permission}"]
]

const told = ({ argv }: StubStart) => ({
  model: after(argv, "--model"),
  thinking: after(argv, "--effort"),
  permission: after(argv, "--may")
})

const continuing: Voice = {
  ...words,
  id: "my-agent",
  program: "my-agent",
  storage: null,
  entry: {
    type: "command",
    command: ["my-agent", ...settings, "--session-id", "{session}"],
    resume: ["my-agent", ...settings, "--resume", "{session}"],
    prompt: "stdin",
    session: { assigned_by: "caller", pattern: "[0-9a-f-]{36}" },
    output,
    answers,
    permissions: { read: null, edit: "some", full: "all" },
    thinking: ["low", "high"]
  },
  read: (start) => ({ prompt: start.stdin, ...told(start) })
}

const forgetful: Voice = {
  ...words,
  id: "my-once",
  program: "my-once",
  storage: null,
  entry: {
    type: "command",
    command: ["my-once", ...settings, "--", "{prompt}"],
    prompt: "argument",
    output: { ...output, session: undefined },
    answers,
    permissions: { read: null, edit: "some", full: null },
    thinking: ["high"]
  },
  read: (start) => ({ prompt: start.argv.at(-1), ...told(start) })
}

export const configuredSubjects: ReadonlyArray<Subject> = [
  lineSubject(continuing),
  { ...lineSubject(forgetful), announcedAt: null, without: ["forget", "announce"] }
]
