/**
 * The sessions in opencode's storage, as import finds them, asked of `opencode db` by one fixed SELECT. Observed on 1.18.33:
 * an answer is complete with `finish` `stop` and a time of completion; a kill leaves a message of the user's behind, or an
 * answer without that. Sessions of subagents have a parent and are left out.
 */
import type { FoundConversation } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { noAnswer } from "../conversations/tale.js"
import { count, list, moment, number, object, parseObject, text } from "../json.js"
import type { Ask, Env } from "../processProvider.js"
import { location } from "./location.js"
import { databaseExists } from "./session.js"

/** More sessions than this are not looked at in one go; the oldest are left out. */
const maxSessions = 500
/** How long the look waits, ms: the program alone takes seconds to start. */
const lookMs = 20_000

const query = (since: number): string =>
  `select s.id, s.directory, s.time_created as started, s.time_updated as updated,
 (select m.data from message m where m.session_id = s.id order by m.id desc limit 1) as last,
 (select count(*) from message m where m.session_id = s.id) as messages,
 (select count(*) from message m where m.session_id = s.id and json_extract(m.data, '$.role') = 'user') as turns,
 (select json_extract(p.data, '$.text') from part p where p.session_id = s.id
  and json_extract(p.data, '$.type') = 'text' order by p.id limit 1) as prompt,
 (select p.data from part p where p.session_id = s.id
  and json_extract(p.data, '$.type') = 'tool' order by p.id desc limit 1) as tool
 from session s where s.parent_id is null and s.time_updated >= ${Math.floor(since)}
 order by s.time_updated desc limit ${maxSessions}`.replaceAll("\n", "")

/** The rows that `opencode db` printed as conversations; what is no such row is left out. */
export const parseRows = (stdout: string, path: string): ReadonlyArray<FoundConversation> => {
  let rows: unknown
  try {
    rows = JSON.parse(stdout)
  } catch {
    return []
  }
  return list(rows).flatMap((each) => {
    const row = object(each)
    const [id, cwd, prompt] = [text(row.id), text(row.directory), text(row.prompt)]
    if (id === null || cwd === null || prompt === null) return []
    const last = parseObject(text(row.last) ?? "") ?? {}
    const tool = openTool(text(row.tool))
    const startedAt = moment(row.started) ?? 0
    return [
      {
        ...{ id, cwd, prompt, location: path, startedAt, thinking: null, permission: null },
        model: modelOf(last),
        lastActivityAt: moment(row.updated) ?? startedAt,
        turns: count(row.turns),
        messages: count(row.messages),
        openTool: tool,
        stopped: tool === null ? stoppedAt(last) : `it stopped while the tool ${tool.name} was at work`,
        inUse: "unknown" as const
      }
    ]
  })
}

/** `provider/model`, as `--model` takes it: the user's messages hold it below `model`, the answers beside the rest. */
const modelOf = (message: ReturnType<typeof object>): string | null => {
  const named = text(message.modelID) === null ? object(message.model) : message
  const [provider, model] = [text(named.providerID), text(named.modelID)]
  return provider === null || model === null ? null : `${provider}/${model}`
}

const stoppedAt = (last: ReturnType<typeof object>): string | null => {
  if (last.role === "user") return noAnswer
  const error = object(last.error)
  if (text(error.name) !== null)
    return `it ended with an error: ${text(object(error.data).message) ?? text(error.name)}`
  return number(object(last.time).completed) !== null && last.finish === "stop" ? null : "its last answer has no end"
}

const openTool = (data: string | null): FoundConversation["openTool"] => {
  const part = parseObject(data ?? "")
  const state = object(part?.state)
  if (state.status !== "running" && state.status !== "pending") return null
  return {
    id: text(part?.callID) ?? "",
    name: text(part?.tool) ?? "tool",
    since: moment(object(state.time).start) ?? 0
  }
}

/** Sessions in the database in use that were active since a time; none where opencode was never used. */
export const conversations = (since: number, env: Env, ask: Ask): Effect.Effect<ReadonlyArray<FoundConversation>> =>
  Effect.gen(function* () {
    const path = location(env)
    if (!(yield* databaseExists(path))) return []
    const answer = yield* ask(["db", query(since), "--format", "json", "--pure"], { timeoutMs: lookMs })
    return Option.match(answer, {
      onNone: () => [],
      onSome: ({ code, stdout }) => (code === 0 ? parseRows(stdout, path) : [])
    })
  }).pipe(Effect.catchAll(() => Effect.succeed([])))
