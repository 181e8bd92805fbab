/**
 * The one table of keys. The footer, the help, the palette, the keys' page in the documentation and the input itself all
 * come from it, so none of them can say anything else than what happens.
 */

export const contexts = ["list", "detail", "log", "tasks"] as const
export type Context = (typeof contexts)[number]

export type Action =
  | "up"
  | "down"
  | "pageUp"
  | "pageDown"
  | "halfUp"
  | "halfDown"
  | "first"
  | "last"
  | "open"
  | "back"
  | "nextPane"
  | "previousPane"
  | "tabAll"
  | "tabAttention"
  | "tabLive"
  | "tabHistory"
  | "resume"
  | "cancel"
  | "newRun"
  | "followUp"
  | "dismiss"
  | "takeOver"
  | "rename"
  | "mark"
  | "markAll"
  | "copyId"
  | "copyCommand"
  | "log"
  | "follow"
  | "wrap"
  | "timestamps"
  | "raw"
  | "find"
  | "findNext"
  | "findPrevious"
  | "transcript"
  | "filter"
  | "sort"
  | "reverse"
  | "preview"
  | "time"
  | "here"
  | "grouping"
  | "theme"
  | "demo"
  | "import"
  | "tasks"
  | "taskAdd"
  | "taskEdit"
  | "taskUp"
  | "taskDown"
  | "taskStart"
  | "taskStop"
  | "taskReject"
  | "taskWatch"
  | "palette"
  | "help"
  | "reconnect"
  | "mouse"
  | "redraw"
  | "suspend"
  | "quit"

export const sections = ["MOVE", "RUN", "LOG", "TASKS", "VIEW", "APP"] as const
export type Section = (typeof sections)[number]

export interface Binding {
  readonly action: Action
  /** Names of keys; empty: the palette only. */
  readonly keys: ReadonlyArray<string>
  readonly contexts: ReadonlyArray<Context>
  readonly section: Section
  /** Ends with `…` where a dialog opens. */
  readonly title: string
  /** In the footer: the keys shown (default: the first), the words, and its rank; `null`: not there. */
  readonly footer: { readonly keys?: string; readonly title: string; readonly rank: number } | null
  /** Acts again while it is held; keys that come merged are applied one by one only for these. */
  readonly repeats: boolean
  /** The same from a shell, without the program's name; `ID` stands for the run. `null`: it is about this screen only. */
  readonly twin: string | null
}

const everywhere = contexts
const lists = ["list"] as const
const runs = ["list", "detail", "log"] as const

const bind = (
  action: Action,
  keys: ReadonlyArray<string>,
  where: ReadonlyArray<Context>,
  section: Section,
  title: string,
  more: Partial<Pick<Binding, "footer" | "repeats" | "twin">> = {}
): Binding => ({ action, keys, contexts: where, section, title, footer: null, repeats: false, twin: null, ...more })

/** In the order of the help. */
export const keyTable: ReadonlyArray<Binding> = [
  bind("up", ["up", "k"], everywhere, "MOVE", "up", { repeats: true, footer: { keys: "↑↓", title: "move", rank: 1 } }),
  bind("down", ["down", "j"], everywhere, "MOVE", "down", { repeats: true }),
  bind("pageUp", ["pageup"], everywhere, "MOVE", "page up", { repeats: true }),
  bind("pageDown", ["pagedown"], everywhere, "MOVE", "page down", { repeats: true }),
  bind("pageDown", ["space"], ["detail", "log"], "MOVE", "page down", { repeats: true }),
  bind("halfUp", ["ctrl+u"], everywhere, "MOVE", "half a page up", { repeats: true }),
  bind("halfDown", ["ctrl+d"], everywhere, "MOVE", "half a page down", { repeats: true }),
  bind("first", ["g", "home"], everywhere, "MOVE", "first, top"),
  bind("last", ["G", "end"], everywhere, "MOVE", "last, bottom (the log follows again)"),
  bind("open", ["enter"], lists, "MOVE", "open details; fold a group", { footer: { title: "open", rank: 2 } }),
  bind("back", ["escape"], everywhere, "MOVE", "back; clear marks, then the filter"),
  bind("nextPane", ["tab"], ["list", "detail"], "MOVE", "next pane", { repeats: true }),
  bind("previousPane", ["shift+tab"], ["list", "detail"], "MOVE", "previous pane", { repeats: true }),
  bind("tabAll", ["1"], everywhere, "MOVE", "all runs", { twin: "runs list --dismissed" }),
  bind("tabAttention", ["2"], everywhere, "MOVE", "runs that need attention", {
    twin: "runs list --state interrupted,failed"
  }),
  bind("tabLive", ["3"], everywhere, "MOVE", "live runs", { twin: "runs list --state running" }),
  bind("tabHistory", ["4"], everywhere, "MOVE", "history", { twin: "runs list --state completed,cancelled" }),

  bind("resume", ["r"], runs, "RUN", "resume…", { footer: { title: "resume…", rank: 3 }, twin: "resume ID" }),
  bind("cancel", ["c"], runs, "RUN", "cancel…", { footer: { title: "cancel…", rank: 4 }, twin: "cancel ID" }),
  bind("newRun", ["n"], lists, "RUN", "new run…", { footer: { title: "new…", rank: 9 }, twin: "run --detach PROMPT" }),
  bind("followUp", ["N"], ["list", "detail"], "RUN", "new run in this session…", {
    twin: "run --session SESSION --detach PROMPT"
  }),
  bind("dismiss", ["x"], ["list", "detail"], "RUN", "dismiss from attention (stays in history)", {
    twin: "runs dismiss ID"
  }),
  bind("takeOver", ["o"], ["list", "detail"], "RUN", "open in the provider's own screen", { twin: "open ID" }),
  bind("rename", [], ["list", "detail"], "RUN", "rename…", { twin: "runs rename ID TITLE" }),
  bind("mark", ["space"], lists, "RUN", "mark", { repeats: true, footer: { title: "mark", rank: 10 } }),
  bind("markAll", ["*"], lists, "RUN", "mark all shown"),
  bind("copyId", ["y"], ["list", "detail"], "RUN", "copy the run's id", { footer: { title: "copy id", rank: 11 } }),
  bind("copyCommand", ["Y"], ["list", "detail"], "RUN", "copy the resume command"),
  bind("demo", ["d"], lists, "RUN", "start a demo run (a scripted agent, no model)", {
    twin: "run --provider demo --detach PROMPT"
  }),
  bind("import", ["i"], lists, "RUN", "bring in conversations that stopped in the middle", { twin: "import" }),

  bind("log", ["l"], ["list", "detail", "log"], "LOG", "full log", {
    footer: { title: "log", rank: 5 },
    twin: "runs logs ID"
  }),
  bind("follow", ["f"], ["log"], "LOG", "follow", {
    footer: { title: "follow", rank: 3 },
    twin: "runs logs ID --follow"
  }),
  bind("wrap", ["w"], ["log"], "LOG", "wrap", { footer: { title: "wrap", rank: 6 } }),
  bind("timestamps", ["t"], ["log"], "LOG", "timestamps", {
    footer: { title: "times", rank: 7 },
    twin: "runs logs ID --timestamps"
  }),
  bind("raw", ["v"], ["log"], "LOG", "raw output", { footer: { title: "raw", rank: 8 }, twin: "runs logs ID --raw" }),
  bind("find", ["/"], ["log"], "LOG", "find", { footer: { title: "find", rank: 5 } }),
  bind("findNext", ["n"], ["log"], "LOG", "next match", { repeats: true }),
  bind("findPrevious", ["N"], ["log"], "LOG", "previous match", { repeats: true }),
  bind("copyId", ["y"], ["log"], "LOG", "copy the visible line"),
  bind("copyCommand", ["Y"], ["log"], "LOG", "copy the whole block"),
  bind("transcript", ["e"], runs, "LOG", "transcript in $PAGER", { twin: "runs logs ID | less" }),

  bind("tasks", ["t"], ["list", "tasks"], "TASKS", "task lists, and back", {
    footer: { title: "tasks", rank: 13 },
    twin: "task list"
  }),
  bind("taskWatch", ["enter", "l"], ["tasks"], "TASKS", "watch the task's run", {
    footer: { keys: "enter", title: "watch", rank: 2 },
    twin: "runs watch RUN"
  }),
  bind("taskAdd", ["n"], ["tasks"], "TASKS", "new task…", {
    footer: { title: "new…", rank: 3 },
    twin: "task add PROMPT"
  }),
  bind("taskEdit", ["e"], ["tasks"], "TASKS", "edit the task…", {
    footer: { title: "edit…", rank: 4 },
    twin: "task edit TASK --prompt TEXT"
  }),
  bind("taskUp", ["K"], ["tasks"], "TASKS", "move the task up", {
    repeats: true,
    footer: { keys: "K J", title: "reorder", rank: 5 },
    twin: "task move TASK --before OTHER"
  }),
  bind("taskDown", ["J"], ["tasks"], "TASKS", "move the task down", {
    repeats: true,
    twin: "task move TASK --after OTHER"
  }),
  bind("taskStart", ["r"], ["tasks"], "TASKS", "start: this task, or all of its folder…", {
    footer: { title: "start…", rank: 3 },
    twin: "task run loop --resume"
  }),
  bind("taskStop", ["c"], ["tasks"], "TASKS", "stop after the present task", {
    footer: { title: "stop", rank: 6 },
    twin: "task stop"
  }),
  bind("taskReject", ["x"], ["tasks"], "TASKS", "reject the task, or want it again", {
    twin: "task edit TASK --status rejected"
  }),

  bind("filter", ["/"], ["list"], "VIEW", "filter", {
    footer: { title: "filter", rank: 6 },
    twin: "runs list --search TEXT"
  }),
  bind("sort", ["s"], lists, "VIEW", "sort by the next key", { twin: "runs list --sort KEY" }),
  bind("reverse", ["S"], lists, "VIEW", "reverse the order"),
  bind("preview", ["p"], lists, "VIEW", "preview right, below, off"),
  bind("time", ["T"], ["list", "detail"], "VIEW", "relative or absolute times"),
  bind("here", ["A"], lists, "VIEW", "this folder or all folders", { twin: "runs list --here" }),
  bind("grouping", ["v"], lists, "VIEW", "group by need, folder, provider"),
  bind("theme", [], everywhere, "VIEW", "next colour theme"),

  bind("palette", [":", "ctrl+p"], everywhere, "APP", "commands", { footer: { title: "commands", rank: 12 } }),
  bind("help", ["?"], everywhere, "APP", "help", { footer: { title: "help", rank: 7 } }),
  bind("reconnect", ["R"], everywhere, "APP", "read everything again"),
  bind("mouse", ["m"], everywhere, "APP", "mouse on or off"),
  bind("redraw", ["ctrl+l"], everywhere, "APP", "redraw"),
  bind("suspend", ["ctrl+z"], everywhere, "APP", "suspend (fg comes back)"),
  bind("quit", ["q", "ctrl+c"], everywhere, "APP", "quit (runs keep going)", { footer: { title: "quit", rank: 8 } })
]

const byKey: ReadonlyMap<string, Binding> = new Map(
  keyTable.flatMap((binding) =>
    binding.contexts.flatMap((context) => binding.keys.map((key) => [`${context} ${key}`, binding] as const))
  )
)

/** What a key does in a context. */
export const bindingOf = (context: Context, key: string): Binding | null => byKey.get(`${context} ${key}`) ?? null

/** The binding that stands for an action in a context, else anywhere. */
export const bindingFor = (action: Action, context: Context): Binding | null =>
  keyTable.find((one) => one.action === action && one.contexts.includes(context)) ??
  keyTable.find((one) => one.action === action) ??
  null

const names: Readonly<Record<string, string>> = {
  up: "↑",
  down: "↓",
  pageup: "pgup",
  pagedown: "pgdn",
  escape: "esc",
  "ctrl+c": "^c",
  "ctrl+d": "^d",
  "ctrl+l": "^l",
  "ctrl+p": "^p",
  "ctrl+u": "^u",
  "ctrl+z": "^z"
}

/** A key as a person calls it. */
export const keyName = (key: string): string => names[key] ?? key
