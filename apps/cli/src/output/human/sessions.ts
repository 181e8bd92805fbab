/** Sessions and agents in words. Pure. */
import type { Documents } from "@alluka/core"
import { age, rowOf } from "@alluka/tui/list"
import type { Output } from "../Output.js"
import { renderList } from "./list.js"
import { line } from "./safe.js"
import { table } from "./table.js"

const ago = (time: string, now: number): string => age(Date.parse(time), now)

export const renderSessions = (
  list: Documents.SessionListDocument,
  now: number,
  { command }: Pick<Output, "command">
): string =>
  list.items.length === 0
    ? `No sessions yet. ${command(["run", "TASK"])} begins one.`
    : table(
        ["SESSION", "STATE", "RUNS", "AGENT", "PROVIDER", "AGE", "TITLE"],
        list.items.map((each) => [
          each.id,
          each.state,
          `${each.checkpoints}`,
          line(each.agent),
          line(each.provider),
          ago(each.last_activity_at, now),
          line(each.title, 60)
        ])
      )

export const renderSession = (
  session: Documents.SessionDocument,
  runs: ReadonlyArray<Documents.Decided>,
  now: number,
  { ascii, command, paint, width }: Pick<Output, "ascii" | "command" | "paint" | "width">
): string =>
  [
    `${session.id}: ${line(session.title)}`,
    `  agent ${line(session.agent)}, ${line(session.provider)} conversation ${line(session.provider_session_id ?? "not named")}`,
    "",
    renderList(
      runs.map(({ checkpoint }) => rowOf(checkpoint)),
      { ascii, now, paint, width }
    ),
    "",
    `  A new task in it:  ${command(["run", "--session", session.id, "TASK"])}`
  ].join("\n")

export const renderAgents = (list: Documents.AgentListDocument, now: number): string =>
  list.items.length === 0
    ? "No agents yet."
    : table(
        ["AGENT", "RUNNING", "RUNS", "SESSIONS", "AGE"],
        list.items.map((each) => [
          line(each.agent),
          `${each.running}`,
          `${each.checkpoints}`,
          `${each.sessions}`,
          ago(each.last_activity_at, now)
        ])
      )
