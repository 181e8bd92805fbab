/** `alluka runs list`. */
import {
  type Checkpoint,
  type CheckpointStore,
  Checkpoints,
  Documents,
  Scope,
  type State,
  Workspaces
} from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Options } from "../arguments/Option.js"
import type { Command } from "../Command.js"
import { withFields } from "../output/fields.js"
import type { Output } from "../output/Output.js"
import { sessionIdOf } from "../sessions.js"
import { Verdicts } from "../Verdicts.js"
import { withView } from "../view.js"

/** Rows of a list where nobody said how many. */
const usualLimit = 30
/** Rows asked for in one go where there is no limit. */
const pageSize = 1000

export const runsList: Command = (invocation, io) =>
  withView(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const { options } = invocation
      const query = yield* queryOf(options, io.cwd)
      const page = options.flag("all") ? yield* everyPage(query) : yield* onePage(query)
      if (page.skipped > 0) {
        yield* Effect.promise(() =>
          output.note(
            `${page.skipped} ${page.skipped === 1 ? "record is" : "records are"} damaged and not shown; see ${output.command(["doctor"])}`
          )
        )
      }
      if (options.flag("ids")) yield* Effect.promise(() => output.text(page.items.map(({ id }) => id).join("\n")))
      else if (output.json) yield* printJson(page, options, output)
      else yield* printList(page, options, output)
      return 0
    })
  )

const queryOf = (options: Options, cwd: string) =>
  Effect.gen(function* () {
    const workspaces = yield* Workspaces.Workspaces
    const all = options.flag("all")
    const session = options.text("session")
    const query: CheckpointStore.ListQuery = {
      states: options.list("state") as ReadonlyArray<State.State>,
      agent: options.text("agent"),
      sessionId: session === null ? null : yield* sessionIdOf(session),
      provider: options.text("provider"),
      model: options.text("model"),
      resumable: options.flag("resumable"),
      folder: options.flag("here") ? (yield* workspaces.resolve(cwd)).realPath : null,
      since: options.number("since"),
      until: options.number("until"),
      search: options.text("search"),
      attempts: all || options.flag("attempts"),
      dismissed: all || options.flag("dismissed"),
      sort: (options.text("sort") ?? "newest") as CheckpointStore.ListQuery["sort"],
      limit: options.number("limit") ?? (all ? pageSize : usualLimit),
      cursor: options.text("cursor")
    }
    return query
  })

const onePage = (query: CheckpointStore.ListQuery) =>
  Effect.flatMap(Checkpoints.Checkpoints, (checkpoints) => checkpoints.list(Scope.operator, query))

/** Every page, unless a limit was given besides. */
const everyPage = (query: CheckpointStore.ListQuery) =>
  Effect.gen(function* () {
    const items: Array<Checkpoint.Checkpoint> = []
    let skipped = 0
    let cursor = query.cursor
    do {
      const page = yield* onePage({ ...query, cursor })
      items.push(...page.items)
      skipped += page.skipped
      cursor = page.nextCursor
    } while (cursor !== null && query.limit === pageSize)
    const page: CheckpointStore.CheckpointPage = {
      items,
      skipped,
      nextCursor: cursor,
      total: cursor === null ? items.length : null
    }
    return page
  })

const printJson = (page: CheckpointStore.CheckpointPage, options: Options, output: Output) =>
  Effect.gen(function* () {
    const verdicts = yield* Verdicts
    const decided = yield* Effect.forEach(page.items, (checkpoint) =>
      Effect.map(verdicts.of(checkpoint), (decision) => ({ checkpoint, decision }))
    )
    const document = Documents.checkpointListDocument(page, decided)
    const items = yield* withFields(document.items, options, { kind: "checkpoint", what: "a run" })
    return yield* Effect.promise(() => output.document({ ...document, items }))
  })

const printList = (page: CheckpointStore.CheckpointPage, options: Options, output: Output) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const verdicts = yield* Verdicts
    // Loaded only for words: measuring text needs tables that cost more than the list itself.
    const { renderList, renderPlain, rowOf } = yield* Effect.promise(() => import("../output/human/list.js"))
    const rows = yield* Effect.forEach(page.items, (checkpoint) =>
      Effect.map(verdicts.of(checkpoint), (decision) => rowOf(checkpoint, decision))
    )
    if (rows.length === 0) {
      yield* Effect.promise(() => output.text(page.skipped > 0 ? "No run can be shown." : emptyText(options, output)))
      return
    }
    const text = options.flag("plain")
      ? renderPlain(rows)
      : renderList(rows, { width: output.width, now, ascii: output.ascii, paint: output.paint })
    yield* Effect.promise(() => output.text(text))
    if (page.nextCursor !== null) {
      yield* Effect.promise(() => output.note(`more: -L ${rows.length * 2}, --all, or --cursor ${page.nextCursor}`))
    }
  })

const filters = [
  "state",
  "agent",
  "session",
  "provider",
  "model",
  "resumable",
  "here",
  "since",
  "until",
  "search",
  "cursor"
]

/** A filter that hides everything must not look like an empty store. */
const emptyText = (options: Options, output: Output): string => {
  const filtered = filters.some(
    (name) =>
      options.flag(name) ||
      options.text(name) !== null ||
      options.number(name) !== null ||
      options.list(name).length > 0
  )
  return filtered
    ? `No run matches. ${output.command(["runs", "list", "--all"])} lists every run.`
    : [
        "No runs here yet.",
        "",
        `  ${output.command(["run", "fix the failing test"])}   starts one`,
        `  ${output.command(["demo"])}   shows what this is, without any agent program`
      ].join("\n")
}
