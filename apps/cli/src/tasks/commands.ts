/** The commands about tasks, for the command table. */
import type { OptionSpec } from "../arguments/Option.js"
import type { CommandSpec, GroupSpec } from "../Command.js"

const statuses = ["todo", "doing", "done", "rejected"]
const permissions = ["read", "edit", "full"]

const id = { name: "<id>", help: "the task, such as T-0001" }
const cd: OptionSpec = { flags: "-C, --cd <dir>", kind: "text", help: "the folder of the tasks (default: this one)" }
const here: OptionSpec = { flags: "--here", kind: "flag", help: "only those of this folder" }
const status: OptionSpec = {
  flags: "--status <statuses>",
  kind: "choices",
  choices: statuses,
  help: "only these, with commas between them"
}

const settings: ReadonlyArray<OptionSpec> = [
  { flags: "--provider <id>", kind: "text", help: "which agent program does the work" },
  { flags: "-m, --model <model>", kind: "text", help: "model, in the provider's own words" },
  { flags: "--thinking <level>", kind: "text", help: "thinking level of the provider" },
  { flags: "--permission <level>", kind: "choice", choices: permissions, help: "what the agent may do" },
  { flags: "--phases <n>", kind: "count", help: "1: one pass; 2: plan, implement; 3: plan, implement, review" },
  { flags: "--gate <command>", kind: "text", help: "the check that must pass: a program with its arguments, no shell" },
  { flags: "--gate-shell <command>", kind: "text", help: "the same, run by sh -c" },
  { flags: "--gate-timeout <duration>", kind: "duration", help: "how long the check may take (default 30m)" },
  { flags: "--no-gate", kind: "flag", help: "no check, whatever is configured" }
]

const ofPhases: ReadonlyArray<OptionSpec> = [
  { flags: "--phase-provider <phase=id>", kind: "pairs", help: "the same for one phase (repeatable)" },
  { flags: "--phase-model <phase=model>", kind: "pairs", help: "the same for one phase (repeatable)" },
  { flags: "--phase-thinking <phase=level>", kind: "pairs", help: "the same for one phase (repeatable)" },
  { flags: "--phase-permission <phase=level>", kind: "pairs", help: "the same for one phase (repeatable)" },
  { flags: "--add-dir <dir>", kind: "list", help: "a further folder the agent may work in (repeatable)" }
]

const runOptions: ReadonlyArray<OptionSpec> = [
  { flags: "--resume", kind: "flag", help: "go on with the saved session of this folder" },
  { flags: "--no-resume", kind: "flag", help: "leave it, and begin its task anew" },
  {
    flags: "--on-lost-session <what>",
    kind: "choice",
    choices: ["fresh", "refuse"],
    help: "where the conversation is lost: begin fresh, or refuse (default)"
  },
  {
    flags: "--revert <mode>",
    kind: "choice",
    choices: ["ask", "keep", "revert"],
    help: "when the check is given up: keep the work, or save it as a branch and put the folder back"
  },
  {
    flags: "--continue-at-reset",
    kind: "flag",
    help: "at a usage limit: wait for its reset, then go on"
  },
  ...settings,
  { flags: "-a, --agent <name>", kind: "text", help: "the collaborator the runs belong to" },
  cd,
  { flags: "--timeout <duration>", kind: "duration", help: "end a run as interrupted after this long" },
  {
    flags: "--idle-timeout <duration>",
    kind: "duration",
    help: "the same after this long without a sign of life (0: never)"
  },
  { flags: "--confirm-stale", kind: "flag", help: "yes: the session is older than resume.max_age" },
  { flags: "--confirm-model", kind: "flag", help: "yes: the new model replaces the history by a summary" },
  { flags: "--ignore-limit", kind: "flag", help: "yes: try before the usage limit resets" },
  { flags: "--more-attempts", kind: "flag", help: "yes: beyond resume.max_attempts" },
  { flags: "--stop-survivor", kind: "flag", help: "end a process that is left of the old run" },
  { flags: "--assume-owner-dead", kind: "flag", help: "you know that the process that held it is gone" }
]

const stopOnFailure: OptionSpec = {
  flags: "--stop-on-failure",
  kind: "flag",
  help: "end at the first task that fails, instead of going on with the next"
}

export const taskGroups: ReadonlyArray<GroupSpec> = [
  { name: "task", aliases: ["tasks"], help: "a list of work, and what does it" },
  { name: "task run", help: "do the tasks of a folder" }
]

export const taskCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["task", "list"],
    isDefault: true,
    help: "list tasks in the order in which they are done",
    options: [here, status, { flags: "--ids", kind: "flag", help: "print ids only" }],
    load: async () => (await import("../commands/task/list.js")).list
  },
  {
    path: ["task", "add"],
    help: "add a task to this folder's list",
    arguments: [{ name: "[prompt]", help: "the task; `-` reads it from stdin" }],
    options: [
      { flags: "-p, --prompt <text>", kind: "text", help: "the task" },
      { flags: "--title <title>", kind: "text", help: "title in lists (default: the task's first line)" },
      { flags: "--label <key=value>", kind: "pairs", help: "a label (repeatable)" },
      cd,
      ...settings,
      ...ofPhases
    ],
    examples: [
      'task add "fix the failing test" --gate "npm test"',
      "task add - --phases 3 --phase-model plan=opus < task.md"
    ],
    load: async () => (await import("../commands/task/add.js")).add
  },
  {
    path: ["task", "show"],
    help: "everything about one task",
    arguments: [id],
    load: async () => (await import("../commands/task/show.js")).show
  },
  {
    path: ["task", "edit"],
    help: "change a task; an empty text takes a setting back",
    arguments: [id],
    options: [
      { flags: "-p, --prompt <text>", kind: "text", help: "the task; `-` reads it from stdin" },
      { flags: "--title <title>", kind: "text", help: "title in lists" },
      { flags: "--status <status>", kind: "choice", choices: ["todo", "done", "rejected"], help: "where it stands" },
      { flags: "--label <key=value>", kind: "pairs", help: "a label (repeatable)" },
      ...settings,
      ...ofPhases
    ],
    load: async () => (await import("../commands/task/edit.js")).edit
  },
  {
    path: ["task", "move"],
    help: "change the order in which tasks are done",
    arguments: [id],
    options: [
      { flags: "--top", kind: "flag", help: "first" },
      { flags: "--bottom", kind: "flag", help: "last" },
      { flags: "--before <id>", kind: "text", help: "before this one" },
      { flags: "--after <id>", kind: "text", help: "after this one" },
      { flags: "--to <n>", kind: "count", help: "to this place, from 1" }
    ],
    load: async () => (await import("../commands/task/move.js")).move
  },
  {
    path: ["task", "rm"],
    help: "take tasks off the list; their runs stay",
    arguments: [{ name: "<id...>", help: "the tasks" }],
    load: async () => (await import("../commands/task/rm.js")).rm
  },
  {
    path: ["task", "stop"],
    help: "let the loop of a folder end after the task that it is at",
    options: [cd],
    load: async () => (await import("../commands/task/stop.js")).stop
  },
  {
    path: ["task", "import"],
    help: "add the tasks of a file: a list of texts, or what `task export` wrote",
    arguments: [{ name: "<file>", help: "a JSON file; `-` reads stdin" }],
    options: [cd, { flags: "--with-gates", kind: "flag", help: "take the checks too: commands that are run" }],
    load: async () => (await import("../commands/task/importing.js")).importTasks
  },
  {
    path: ["task", "export"],
    help: "write tasks as JSON",
    arguments: [{ name: "[file]", help: "a new file (default: stdout)" }],
    options: [here, status, { flags: "--force", kind: "flag", help: "overwrite the file" }],
    load: async () => (await import("../commands/task/importing.js")).exportTasks
  },
  {
    path: ["task", "run", "one"],
    help: "do one task: the saved session's, the first, or the one that is named",
    options: [{ flags: "--id <task>", kind: "text", help: "this task" }, ...runOptions],
    examples: ["task run one", "task run one --id T-0003"],
    load: async () => (await import("../commands/task/run.js")).one
  },
  {
    path: ["task", "run", "loop"],
    help: "do one task after the other",
    options: [
      { flags: "--max-tasks <n|all>", kind: "text", help: "this many at most (default all); a resumed loop counts on" },
      stopOnFailure,
      ...runOptions
    ],
    examples: ["task run loop --max-tasks 3", "task run loop --max-tasks all --resume --on-lost-session fresh"],
    load: async () => (await import("../commands/task/run.js")).loop
  },
  {
    path: ["task", "run", "resume"],
    help: "go on with an interrupted loop: the same as loop --resume --max-tasks all",
    options: [stopOnFailure, ...runOptions.filter(({ flags }) => flags !== "--resume" && flags !== "--no-resume")],
    load: async () => (await import("../commands/task/run.js")).resume
  }
]
