/** Configuration files, right and wrong, for the tests of what reads them and of the schema that describes them. */

export interface InvalidConfig {
  readonly text: string
  /** What is told, after the file's path: `LINE:COLUMN: SENTENCE`. */
  readonly told: ReadonlyArray<string>
  /** A fault of shape, which the schema finds too; the others need more than a look at the shape. */
  readonly shape: boolean
}

const wrong = (text: string, ...told: ReadonlyArray<string>): InvalidConfig => ({ text, told, shape: true })
const wrongBeyondShape = (text: string, ...told: ReadonlyArray<string>): InvalidConfig => ({ text, told, shape: false })

export const invalidConfigs: ReadonlyArray<InvalidConfig> = [
  wrong(
    '{\n  "run": {\n    "provder": "claude"\n  }\n}',
    "3:5: there is no setting run.provder; did you mean run.provider?"
  ),
  wrong('{"resume.max_agee": "24h"}', "1:2: there is no setting resume.max_agee; did you mean resume.max_age?"),
  wrong('{"run":\r\n{"provider":\r\n5}}', "3:1: run.provider is 5; it must be a text"),
  wrong('{"run":\r{"agent":\r""}}', '3:1: run.agent is ""; it must be a text'),
  wrong(
    '{"resume": {"max_age": "yesterday"}}',
    '1:24: resume.max_age is "yesterday"; it must be a duration such as 30m, 24h or 7d'
  ),
  wrong('{"resume": {\n  "max_age": 24}}', "2:14: resume.max_age is 24; it must be a duration such as 30m, 24h or 7d"),
  wrong('{"resume": {\n  "max_age": "0"}}', '2:14: resume.max_age is "0"; it must be longer than 0'),
  wrong('{"hooks": {"timeout": "0s"}}', '1:23: hooks.timeout is "0s"; it must be longer than 0'),
  wrong('{"resume": {"max_attempts": 1.5}}', "1:29: resume.max_attempts is 1.5; it must be a whole number from 1 up"),
  wrong(
    '{"permission": {"max": "raed"}}',
    '1:24: permission.max is "raed"; it must be read, edit or full; until then it is read'
  ),
  wrong('{"task": {"phases": 4}}', "1:21: task.phases is 4; it must be 1, 2 or 3"),
  wrong('{"task": {"revert": "maybe"}}', '1:21: task.revert is "maybe"; it must be ask, keep or revert'),
  wrong(
    '{"hooks": {"on_state": "notify me"}}',
    '1:24: hooks.on_state is "notify me"; it must be a program with its arguments: a list of texts'
  ),
  wrong(
    '{"hooks": {"on_state": ["notify", 1]}}',
    "1:24: hooks.on_state is a list; it must be a program with its arguments: a list of texts"
  ),
  wrong(
    '{"run": "claude"}',
    "1:2: run is a group of settings: an object with provider, agent, permission, timeout, idle_timeout"
  ),
  wrong(
    '{"providers": {"claude": {"command": ["claude"]}}}',
    "1:38: providers.claude.command is a list; it must be a text"
  ),
  wrong(
    '{"providers": {"mine": {"typ": "api"}}}',
    "1:25: there is no setting providers.mine.typ; did you mean providers.mine.type?"
  ),
  wrong('{"run": {"provider": {"name": "x"}}}', "1:22: run.provider is an object; it must be a text"),
  wrong('{"a": {"b": {"c": {"d": {"e": 1}}}}}', "1:20: there is no setting a.b.c.d"),
  // Of several with the same name the last counts, in every object.
  wrong('{"task": {"phases": 9}, "task": {"phases": 1,\n"phases": 8}}', "2:11: task.phases is 8; it must be 1, 2 or 3"),
  wrong(
    '{"run.timeout": "x", "run": {"timeout": "y"}}',
    '1:17: run.timeout is "x"; it must be a duration such as 30m, 24h or 7d',
    '1:41: run.timeout is "y"; it must be a duration such as 30m, 24h or 7d'
  ),
  wrongBeyondShape(
    '{"run": {"timeout": "99999999999999999d"}}',
    '1:21: run.timeout is "99999999999999999d"; it must be a duration such as 30m, 24h or 7d'
  )
]

const command = {
  type: "command",
  command: ["my-agent", ["--model", "{model}"], "--session-id", "{session}"],
  resume: ["my-agent", "--resume", "{session}"],
  prompt: "stdin",
  session: { assigned_by: "caller", pattern: "[0-9a-f-]{36}" },
  output: { format: "json", message: { when: { type: "say" }, path: "text" }, end: { when: { type: "end" } } },
  answers: { usage_limit: ["limit"], no_such_session: ["gone"] },
  permissions: { read: null, edit: "its own rules", full: null },
  cwd_bound: true
}

export const validConfigs: ReadonlyArray<string> = [
  "{}",
  " {\r\n} ",
  '{"$schema": "./config_file.json", "run": {"provider": "claude"}}',
  '{"run.provider": "claude", "providers.claude.command": "/usr/bin/claude"}',
  '{"run": {"provider": null, "timeout": "0", "idle_timeout": "1h30m"}, "resume": {"max_age": " 7D ", "max_attempts": 3}}',
  '{"permission": {"max": "edit"}, "task": {"phases": 2, "revert": "keep", "gate": ["npm", "test"]}}',
  '{"hooks": {"on_state": ["notify"], "timeout": "1.5s"}, "run": {}}',
  '{"providers": {"claude": {"command": "/x"}, "codex": {}}}',
  JSON.stringify({ providers: { "my-agent": command, local: { type: "api", base_url: "http://127.0.0.1:1/v1" } } }),
  JSON.stringify({ "providers.other": { type: "acp", command: ["other-agent", "--acp"] } })
]
