/** What the rows of a conversation tell, whatever program wrote them: the common part of every walk over a session file. */
import type { FoundConversation, State } from "@alluka/core"
import * as Effect from "effect/Effect"
import { foldRows, type Row } from "../process/jsonLines.js"
import { filesSince, type StoredFile } from "./filesSince.js"

export interface Tale {
  readonly id: string | null
  readonly cwd: string | null
  readonly prompt: string | null
  readonly model: string | null
  readonly thinking: string | null
  readonly permission: State.Permission | null
  readonly startedAt: number | null
  readonly lastActivityAt: number | null
  readonly turns: number
  readonly messages: number
  /** Tools that were called and have not answered, oldest first. */
  readonly open: ReadonlyArray<{ readonly id: string; readonly name: string; readonly since: number }>
  /** As in `FoundConversation`, by the rows so far. */
  readonly stopped: string | null
}

export const untold: Tale = {
  id: null,
  cwd: null,
  prompt: null,
  model: null,
  thinking: null,
  permission: null,
  startedAt: null,
  lastActivityAt: null,
  turns: 0,
  messages: 0,
  open: [],
  stopped: null
}

export const noAnswer = "the last prompt has no answer"
export const afterTool = "it stopped after a tool, before the next answer"

/** The person said something. */
export const prompted = (tale: Tale, prompt: string): Tale => ({
  ...tale,
  prompt: tale.prompt ?? prompt,
  turns: tale.turns + 1,
  messages: tale.messages + 1,
  open: [],
  stopped: noAnswer
})

/** The agent said something, completely. */
export const answered = (tale: Tale): Tale => ({ ...tale, messages: tale.messages + 1, stopped: null })

/** The agent called a tool. */
export const called = (tale: Tale, id: string, name: string, since: number): Tale => ({
  ...tale,
  open: [...tale.open, { id, name, since }],
  stopped: `it stopped while the tool ${name} was at work`
})

/** A tool answered. */
export const returned = (tale: Tale, id: string): Tale => {
  const open = tale.open.filter((each) => each.id !== id)
  const last = open.at(-1)
  return {
    ...tale,
    open,
    stopped: last === undefined ? afterTool : `it stopped while the tool ${last.name} was at work`
  }
}

/** The time of a row. */
export const at = (tale: Tale, time: number | null): Tale =>
  time === null ? tale : { ...tale, startedAt: tale.startedAt ?? time, lastActivityAt: time }

/** What was told as a conversation; `null`: it names no folder, no id, or nothing was ever asked in it. */
export const conversation = (
  tale: Tale,
  file: StoredFile,
  known: { readonly location: string | null; readonly inUse: FoundConversation["inUse"] }
): FoundConversation | null => {
  const { cwd, id, prompt } = tale
  if (id === null || cwd === null || prompt === null) return null
  return {
    id,
    cwd,
    prompt,
    ...known,
    model: tale.model,
    thinking: tale.thinking,
    permission: tale.permission,
    startedAt: tale.startedAt ?? file.writtenAt,
    lastActivityAt: tale.lastActivityAt ?? file.writtenAt,
    turns: tale.turns,
    messages: tale.messages,
    openTool: tale.open.at(-1) ?? null,
    stopped: tale.stopped
  }
}

/** Reads every file that was written to since a time. One that cannot be read tells nothing. */
export const conversationsIn = <S>(
  root: string,
  look: {
    readonly depth: number
    readonly fits: RegExp
    readonly since: number
    readonly initial: S
    readonly step: (state: S, row: Row) => S
    readonly found: (state: S, file: StoredFile) => FoundConversation | null
  }
): Effect.Effect<ReadonlyArray<FoundConversation>> =>
  Effect.gen(function* () {
    const files = yield* filesSince(root, look)
    const found = yield* Effect.forEach(files, (file) =>
      Effect.map(Effect.option(foldRows(file.path, look.initial, look.step)), (told) =>
        told._tag === "Some" ? look.found(told.value, file) : null
      )
    )
    return found.filter((each) => each !== null)
  })
