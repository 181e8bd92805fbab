/** Events of a run in words, as they come. Pure. */
import type { Event } from "@alluka/core"
import type { Paint } from "../color.js"
import { block, indented, line } from "./safe.js"

export interface EventOptions {
  readonly paint: Paint
  readonly ascii: boolean
}

const textOf = (event: Event.StoredEvent, field: string): string => {
  const value = event.payload[field]
  return typeof value === "string" ? value : ""
}

/**
 * What a person wants to see of an event while a run goes on; `null`: nothing (its decision and its end are told apart,
 * figures at the end).
 */
export const renderEvent = (event: Event.StoredEvent, { ascii, paint }: EventOptions): string | null => {
  const step = ascii ? ">" : "▸"
  switch (event.kind) {
    case "message": {
      const text = block(textOf(event, "text"))
      const shown = event.payload.truncated === true ? `${text} …` : text
      return event.payload.role === "user" ? paint(indented(shown, "> "), "dim") : shown
    }
    case "tool_started": {
      const name = line(textOf(event, "name"), 80)
      const summary = line(textOf(event, "summary"))
      return `${paint(`${step} ${name}`, "live")}${summary === "" ? "" : ` ${summary}`}`
    }
    case "tool_finished":
      return event.payload.ok === false ? paint(`  failed: ${line(textOf(event, "summary"))}`, "warn") : null
    case "denied":
      return paint(`  refused by permission: ${line(`${textOf(event, "tool")} ${textOf(event, "detail")}`)}`, "warn")
    case "model_reported":
      return event.payload.differs === true ? paint(line(event.message), "warn") : paint(line(event.message), "dim")
    case "provider_session":
      return paint(line(event.message), "dim")
    case "retrying":
    case "waiting_for_reset":
    case "blocked":
      return paint(`… ${line(event.message)}`, "warn")
    case "phase_entered":
      return event.payload.of === 1 ? null : paint(line(event.message), "dim")
    case "notice":
    case "gate_started":
    case "gate_finished":
    case "task_selected":
    case "cancel_requested":
      return paint(line(event.message), "dim")
    case "created":
    case "resume_decision":
    case "usage":
    case "state_changed":
    case "renamed":
    case "dismissed":
    case "removed":
      return null
  }
}

/** An event as one line of a timeline. */
export const timelineLine = (event: Event.StoredEvent, at: string, { paint }: EventOptions): string =>
  `${paint(at, "dim")}  ${event.kind.padEnd(16)}  ${line(event.message)}`
