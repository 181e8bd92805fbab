/**
 * Every command of the program with its options: the command line, `help` and the documentation are made from this one
 * table. A command's module is loaded when it is called.
 */
import type { OptionSpec } from "./arguments/Option.js"
import type { CommandSpec, GroupSpec } from "./Command.js"
import { taskCommands, taskGroups } from "./tasks/commands.js"

const states = ["running", "completed", "interrupted", "failed", "cancelled"]
const permissions = ["read", "edit", "full"]

/** Options that every command takes. */
export const globalOptions: ReadonlyArray<OptionSpec> = [
  { flags: "--json", kind: "flag", help: "print JSON: one document, or one line for each event" },
  { flags: "--fields <names>", kind: "list", help: "with --json: only these fields, with commas between them" },
  { flags: "--no-input", kind: "flag", help: "never ask; a question that comes up is an answer with an exit code" },
  { flags: "-y, --yes", kind: "flag", help: "answer confirmations with yes (never turns a refusal into a resume)" },
  { flags: "--quiet", kind: "flag", help: "no progress and no hints on stderr" },
  { flags: "--debug", kind: "flag", help: "tell on stderr what happens inside" },
  { flags: "--color <when>", kind: "choice", choices: ["auto", "always", "never"], help: "colour the output" },
  { flags: "--home <dir>", kind: "text", help: "data folder (default: $ALLUKA_HOME, else the platform's state folder)" }
]

const prompt = (help: string): OptionSpec => ({ flags: "-p, --prompt <text>", kind: "text", help })
const model: OptionSpec = { flags: "-m, --model <model>", kind: "text", help: "model, in the provider's own words" }
const thinking: OptionSpec = { flags: "--thinking <level>", kind: "text", help: "thinking level of the provider" }
const permission: OptionSpec = {
  flags: "--permission <level>",
  kind: "choice",
  choices: permissions,
  help: "what the agent may do"
}
const provider: OptionSpec = { flags: "--provider <id>", kind: "text", help: "which agent program does the work" }
const detach: OptionSpec = { flags: "--detach", kind: "flag", help: "start it in the background and come back" }
const continueAtReset: OptionSpec = {
  flags: "--continue-at-reset",
  kind: "flag",
  help: "at a usage limit: wait for its reset, then resume"
}
const limits: ReadonlyArray<OptionSpec> = [
  { flags: "--timeout <duration>", kind: "duration", help: "end the run as interrupted after this long" },
  {
    flags: "--idle-timeout <duration>",
    kind: "duration",
    help: "the same after this long without a sign of life (0: never)"
  }
]
const dryRun: OptionSpec = { flags: "-n, --dry-run", kind: "flag", help: "only say what would be done" }

export const groups: ReadonlyArray<GroupSpec> = [
  { name: "runs", aliases: ["checkpoints"], help: "look at runs and tidy them up" },
  { name: "sessions", help: "conversations, each with the runs in it" },
  { name: "agents", help: "collaborators that runs belong to" },
  { name: "providers", help: "agent programs that can do the work" },
  { name: "config", help: "settings, and where they come from" },
  ...taskGroups
]

export const commandTable: ReadonlyArray<CommandSpec> = [
  {
    path: [],
    help: "the monitor on a terminal, else the list of runs",
    options: [
      { flags: "--filter <filter>", kind: "text", help: "monitor: begin with this filter" },
      { flags: "--ascii", kind: "flag", help: "draw with ASCII signs only" },
      { flags: "--theme <name>", kind: "text", help: "monitor: colours" },
      { flags: "--screen-reader", kind: "flag", help: "monitor: linear output for screen readers" },
      { flags: "--reduced-motion", kind: "flag", help: "monitor: nothing moves" }
    ],
    load: async () => (await import("./commands/monitor.js")).monitor
  },
  {
    path: ["run"],
    help: "start a run in the foreground and stream it",
    arguments: [{ name: "[prompt]", help: "the task; `-` reads it from stdin" }],
    options: [
      prompt("the task"),
      provider,
      model,
      thinking,
      permission,
      { flags: "--add-dir <dir>", kind: "list", help: "a further folder the agent may work in (repeatable)" },
      { flags: "-a, --agent <name>", kind: "text", help: "the collaborator this run belongs to" },
      { flags: "--session <id>", kind: "text", help: "go on in this session's conversation" },
      { flags: "-C, --cd <dir>", kind: "text", help: "folder to work in" },
      { flags: "--title <title>", kind: "text", help: "title in lists (default: the task's first line)" },
      { flags: "--label <key=value>", kind: "pairs", help: "a label (repeatable)" },
      { flags: "--key <key>", kind: "text", help: "start nothing if a run with this key is live or completed" },
      detach,
      ...limits,
      continueAtReset,
      {
        flags: "--origin <origin>",
        kind: "choice",
        choices: ["manual", "automation"],
        help: "who started it",
        hidden: true
      }
    ],
    passThrough: true,
    examples: [
      'run "fix the failing test"',
      "run -p - --provider claude -m opus < task.md",
      'run --detach --label ticket=42 "update the docs" -- --verbose'
    ],
    load: async () => (await import("./commands/run.js")).run
  },
  {
    path: ["resume"],
    help: "go on with an interrupted run: decide, say so, then run",
    arguments: [{ name: "[id]", help: "the run, the beginning of its id, or `latest`" }],
    options: [
      { flags: "--preview", kind: "flag", help: "only say what a resume would do" },
      prompt("what to tell the agent besides; `-` reads it from stdin"),
      { flags: "--confirm-stale", kind: "flag", help: "yes: the session is older than resume.max_age" },
      { flags: "--confirm-cancelled", kind: "flag", help: "yes: the run was cancelled" },
      { flags: "--fresh", kind: "flag", help: "start a new conversation about the same task" },
      { flags: "--confirm-model", kind: "flag", help: "yes: the new model replaces the history by a summary" },
      { flags: "--ignore-limit", kind: "flag", help: "yes: try before the usage limit resets" },
      { flags: "--more-attempts", kind: "flag", help: "yes: beyond resume.max_attempts" },
      { flags: "--stop-survivor", kind: "flag", help: "end a process that is left of the old run" },
      { flags: "--assume-owner-dead", kind: "flag", help: "you know that the process that held the run is gone" },
      { flags: "--fork", kind: "flag", help: "go on in a copy of the conversation" },
      model,
      thinking,
      permission,
      provider,
      { flags: "-C, --cd <dir>", kind: "text", help: "the folder where the work is now" },
      ...limits,
      detach,
      continueAtReset,
      { flags: "--all-safe", kind: "flag", help: "resume every interrupted run that needs no consent" },
      { flags: "--max <n>", kind: "count", help: "with --all-safe: this many at once" },
      dryRun
    ],
    examples: ["resume latest --preview", 'resume 7k3m -p "run the tests first"', "resume --all-safe -n"],
    load: async () => (await import("./commands/resume.js")).resume
  },
  {
    path: ["cancel"],
    help: "cancel runs and wait for their end",
    arguments: [{ name: "<id...>", help: "runs, beginnings of their ids, or `latest`" }],
    options: [
      { flags: "--grace <duration>", kind: "duration", help: "how long to wait for the end (default 30s)" },
      {
        flags: "--force",
        kind: "flag",
        help: "kill the agent's processes at once (never the process that owns the run)"
      },
      { flags: "--assume-owner-dead", kind: "flag", help: "you know that the process that held the run is gone" }
    ],
    examples: ["cancel latest", "cancel 7k3m --force"],
    load: async () => (await import("./commands/cancel.js")).cancel
  },
  {
    path: ["runs", "list"],
    isDefault: true,
    help: "list runs, newest first",
    options: [
      {
        flags: "--state <states>",
        kind: "choices",
        choices: states,
        help: "only these states, with commas between them"
      },
      { flags: "--agent <name>", kind: "text", help: "only this agent's" },
      { flags: "--session <id>", kind: "text", help: "only this session's" },
      { flags: "--provider <id>", kind: "text", help: "only this provider's" },
      { flags: "--model <model>", kind: "text", help: "only this model's" },
      { flags: "--resumable", kind: "flag", help: "only those that can be resumed" },
      { flags: "--here", kind: "flag", help: "only those of this folder" },
      { flags: "--since <when>", kind: "moment", help: "started since a date, or this long ago" },
      { flags: "--until <when>", kind: "moment", help: "started before a date, or this long ago" },
      {
        flags: "--search <text>",
        kind: "text",
        help: "only those with all these words in title, prompt, reason or id"
      },
      { flags: "--attempts", kind: "flag", help: "every attempt, not only the newest of each run" },
      { flags: "--dismissed", kind: "flag", help: "dismissed ones too" },
      { flags: "-L, --limit <n>", kind: "count", help: "this many at most (default 30)" },
      { flags: "--all", kind: "flag", help: "no limit, every attempt, dismissed ones too" },
      { flags: "--cursor <cursor>", kind: "text", help: "go on where an earlier list ended" },
      { flags: "--sort <order>", kind: "choice", choices: ["newest", "oldest", "updated"], help: "order" },
      { flags: "--ids", kind: "flag", help: "print ids only" },
      { flags: "--plain", kind: "flag", help: "one line a run with tabs between its fields, never cut" }
    ],
    examples: ["runs list --state interrupted,failed --here", "runs list --json -L 5 --fields id,state"],
    load: async () => (await import("./commands/runsList.js")).runsList
  },
  {
    path: ["runs", "show"],
    help: "everything about one run",
    arguments: [{ name: "<id>", help: "the run, the beginning of its id, or `latest`" }],
    options: [{ flags: "--events", kind: "flag", help: "with its whole timeline" }],
    load: async () => (await import("./commands/runsShow.js")).runsShow
  },
  {
    path: ["runs", "watch"],
    help: "what happens, as it happens; without an id: to all runs",
    arguments: [{ name: "[id...]", help: "runs to watch until they end" }],
    options: [
      { flags: "--from-seq <n>", kind: "index", help: "begin after this seq: without gap or repeat" },
      { flags: "--until <state>", kind: "choice", choices: states, help: "until this state is reached" },
      { flags: "--timeout <duration>", kind: "duration", help: "no longer than this" },
      { flags: "--exit-status", kind: "flag", help: "end with the run's own exit code" }
    ],
    examples: ["runs watch latest --exit-status", "runs watch --json --from-seq 1042"],
    load: async () => (await import("./commands/runsWatch.js")).runsWatch
  },
  {
    path: ["runs", "logs"],
    help: "what a run said",
    arguments: [{ name: "<id>", help: "the run, the beginning of its id, or `latest`" }],
    options: [
      { flags: "-f, --follow", kind: "flag", help: "go on until the run has ended" },
      { flags: "--tail <n>", kind: "count", help: "only the last lines" },
      { flags: "--timestamps", kind: "flag", help: "with times" },
      { flags: "--raw", kind: "flag", help: "the provider's own output, line by line" }
    ],
    load: async () => (await import("./commands/runsLogs.js")).runsLogs
  },
  {
    path: ["runs", "dismiss"],
    help: "hide runs from lists",
    arguments: [{ name: "<id...>", help: "runs" }],
    load: async () => (await import("./commands/runsTidy.js")).dismiss
  },
  {
    path: ["runs", "rename"],
    help: "give a run another title",
    arguments: [
      { name: "<id>", help: "the run" },
      { name: "<title>", help: "its new title" }
    ],
    load: async () => (await import("./commands/runsTidy.js")).rename
  },
  {
    path: ["runs", "rm"],
    help: "delete ended runs",
    arguments: [{ name: "<id...>", help: "runs" }],
    load: async () => (await import("./commands/runsTidy.js")).remove
  },
  {
    path: ["runs", "prune"],
    help: "delete ended runs that are old",
    options: [
      { flags: "--older-than <duration>", kind: "duration", help: "ended longer ago than this" },
      { flags: "--state <states>", kind: "choices", choices: states, help: "only these states" },
      dryRun
    ],
    examples: ["runs prune --older-than 30d --state completed -n"],
    load: async () => (await import("./commands/runsTidy.js")).prune
  },
  {
    path: ["sessions", "list"],
    isDefault: true,
    help: "list sessions, newest first",
    options: [
      { flags: "--agent <name>", kind: "text", help: "only this agent's" },
      { flags: "-L, --limit <n>", kind: "count", help: "this many at most (default 30)" },
      { flags: "--all", kind: "flag", help: "no limit" }
    ],
    load: async () => (await import("./commands/sessions.js")).sessionsList
  },
  {
    path: ["sessions", "show"],
    help: "one session with its runs",
    arguments: [{ name: "<id>", help: "the session" }],
    load: async () => (await import("./commands/sessions.js")).sessionsShow
  },
  {
    path: ["agents", "list"],
    isDefault: true,
    help: "list agents",
    load: async () => (await import("./commands/sessions.js")).agentsList
  },
  ...taskCommands,
  {
    path: ["config", "show"],
    isDefault: true,
    help: "the settings that apply here",
    options: [{ flags: "--origin", kind: "flag", help: "with the source of each" }],
    load: async () => (await import("./commands/config.js")).show
  },
  {
    path: ["config", "get"],
    help: "one setting",
    arguments: [{ name: "<key>", help: "as `config show` names it" }],
    options: [{ flags: "--origin", kind: "flag", help: "with its source" }],
    load: async () => (await import("./commands/config.js")).get
  },
  {
    path: ["config", "set"],
    help: "set a value in your own configuration; an empty text takes it out",
    arguments: [
      { name: "<key>", help: "as `config show` names it" },
      { name: "<value>", help: "durations are written 30m, 24h, 7d" }
    ],
    examples: ["config set run.provider claude", "config set resume.max_age 48h"],
    load: async () => (await import("./commands/config.js")).set
  },
  {
    path: ["providers", "list"],
    isDefault: true,
    help: "what is installed, and what each can continue",
    load: async () => (await import("./commands/providersList.js")).providersList
  },
  {
    path: ["import"],
    help: "conversations that were held outside of Alluka and stopped in the middle become runs",
    options: [
      { flags: "--provider <id>", kind: "text", help: "only of this agent program" },
      { flags: "--here", kind: "flag", help: "only those of this folder" },
      { flags: "--since <when>", kind: "moment", help: "active since a date, or this long ago (default: 30d)" },
      { flags: "-n, --dry-run", kind: "flag", help: "say what would be imported, and do nothing" }
    ],
    examples: ["import --here -n", "import --provider claude"],
    load: async () => (await import("./commands/importing.js")).importing
  },
  {
    path: ["providers", "show"],
    help: "one provider: program, sign-in, what continues and what is not kept",
    arguments: [{ name: "<id>", help: "as `providers list` names it" }],
    load: async () => (await import("./commands/providersShow.js")).providersShow
  },
  {
    path: ["providers", "test"],
    help: "a tiny conversation with a resume, and what of it really held (two short model requests)",
    arguments: [{ name: "<id>", help: "as `providers list` names it" }],
    options: [model, thinking, permission, ...limits],
    passThrough: true,
    examples: ["providers test claude", "providers test codex -m gpt-6-sol --thinking high"],
    load: async () => (await import("./commands/providersTest.js")).providersTest
  },
  {
    path: ["open"],
    help: "take a run's conversation over in the agent's own screen; nobody else can meanwhile",
    arguments: [{ name: "<id>", help: "the run, the beginning of its id, or `latest`" }],
    options: [
      { flags: "--confirm-stale", kind: "flag", help: "yes: the session is older than resume.max_age" },
      { flags: "--confirm-cancelled", kind: "flag", help: "yes: the run was cancelled" },
      { flags: "--confirm-model", kind: "flag", help: "yes: the new model replaces the history by a summary" },
      { flags: "--ignore-limit", kind: "flag", help: "yes: try before the usage limit resets" },
      { flags: "--more-attempts", kind: "flag", help: "yes: beyond resume.max_attempts" },
      { flags: "--stop-survivor", kind: "flag", help: "end a process that is left of the old run" },
      { flags: "--assume-owner-dead", kind: "flag", help: "you know that the process that held the run is gone" },
      model,
      thinking,
      permission,
      { flags: "-C, --cd <dir>", kind: "text", help: "the folder where the work is now" }
    ],
    examples: ["open latest", "resume 7k3m    # goes on without the screen, once it is closed"],
    load: async () => (await import("./commands/open.js")).open
  },
  {
    path: ["demo"],
    help: "a tour: a run is killed and goes on, without any agent program installed",
    options: [
      { flags: "--pace <duration>", kind: "duration", help: "how long the demo agent takes for a step", hidden: true }
    ],
    load: async () => (await import("./commands/demo.js")).demo
  },
  {
    path: ["doctor"],
    help: "look for what would get in the way; with a run: of its resume, fact by fact",
    arguments: [{ name: "[id]", help: "a run (default: the store, the configuration and the agent programs)" }],
    options: [
      { flags: "--fix", kind: "flag", help: "put right what can be: permissions, indexes, leftovers, damaged records" }
    ],
    load: async () => (await import("./commands/doctor.js")).doctor
  },
  {
    path: ["backup"],
    help: "copy the run store to a new file, also while runs go on",
    arguments: [{ name: "<file>", help: "a file that does not exist yet" }],
    examples: ["backup ~/alluka-monday.db"],
    load: async () => (await import("./commands/backup.js")).backup
  },
  {
    path: ["trust"],
    help: "let a project's own configuration count, as it is now",
    arguments: [{ name: "[dir]", help: "a folder of the project (default: this one)" }],
    options: [{ flags: "--revoke", kind: "flag", help: "not any more" }],
    load: async () => (await import("./commands/trust.js")).trust
  },
  {
    path: ["completion"],
    help: "a script that lets a shell complete commands, options and runs",
    arguments: [{ name: "<shell>", help: "bash, zsh, fish or powershell" }],
    examples: ["completion bash >> ~/.bashrc", "completion zsh >> ~/.zshrc"],
    load: async () => (await import("./commands/completion.js")).completion
  },
  {
    path: ["schema"],
    help: "the JSON Schema of a kind of document; without one: the kinds",
    arguments: [{ name: "[kind]", help: "for example checkpoint" }],
    load: async () => (await import("./commands/schema.js")).schema
  },
  {
    path: ["version"],
    help: "the version of this program",
    load: async () => (await import("./commands/version.js")).version
  },
  {
    path: ["help"],
    help: "help on a command, or on exit-codes, reasons, json, environment",
    arguments: [{ name: "[topic...]", help: "a command or a topic" }],
    load: async () => (await import("./commands/help.js")).help
  }
]
