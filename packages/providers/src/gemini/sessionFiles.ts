/**
 * gemini's session files: `tmp/<project>/chats/session-<minute>-<first 8 characters of the id>.jsonl` under its
 * configuration directory, one project for each folder. A file of that name need not be the session: a resume leaves
 * another one with the same id in it and no conversation (a stub). Observed on 0.61.0.
 */
import { readdir, readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import type { Checkpoint } from "@alluka/core"
import * as Effect from "effect/Effect"
import { type Breakage, breakAt, notLookedInto, unbroken } from "../inspection.js"
import { type JsonObject, list, moment, object, text } from "../json.js"
import { foldRows, type Row } from "../process/jsonLines.js"

/** A file that names the session in its first line. */
export interface SessionFile {
  readonly path: string
  /** The folder of the run that the project of this file belongs to; `null` if gemini did not say. */
  readonly project: string | null
  readonly seen: Seen
}

/** What a walk over the rows has seen. */
export interface Seen extends Breakage {
  readonly sessionId: string | null
  /** Messages that gemini would go on from, by id: whether each is the person's. A later row may take them back. */
  readonly messages: ReadonlyMap<string, boolean>
  readonly lastRowAt: Checkpoint.Time | null
}

export const fresh: Seen = {
  sessionId: null,
  messages: new Map(),
  ...unbroken,
  lastRowAt: null
}

/** Takes one row in, as gemini reads it: messages, `$set` that replaces them, and `$rewindTo` that takes them back. */
export const look = (seen: Seen, row: Row): Seen => {
  const { value } = row
  if (value === null) return breakAt(seen, row)
  const rewind = text(value.$rewindTo)
  if (rewind !== null) return { ...seen, messages: until(seen.messages, rewind) }
  if (text(value.id) !== null) {
    return {
      ...seen,
      messages: withMessage(seen.messages, value),
      lastRowAt: moment(value.timestamp) ?? seen.lastRowAt
    }
  }
  const set = object(value.$set)
  const sessionId = seen.sessionId ?? (text(value.projectHash) === null ? null : text(value.sessionId))
  const messages = Array.isArray(set.messages)
    ? list(set.messages).map(object).reduce<ReadonlyMap<string, boolean>>(withMessage, new Map())
    : seen.messages
  return { ...seen, sessionId, messages, lastRowAt: moment(set.lastUpdated) ?? seen.lastRowAt }
}

/** The messages before one; none where it is not among them, as gemini has it. */
const until = (messages: ReadonlyMap<string, boolean>, id: string): ReadonlyMap<string, boolean> => {
  const entries = [...messages]
  const at = entries.findIndex(([each]) => each === id)
  return new Map(entries.slice(0, Math.max(0, at)))
}

/** Adds a message, in place: files hold thousands of them. Each walk begins with a map of its own. */
const withMessage = (messages: ReadonlyMap<string, boolean>, message: JsonObject): ReadonlyMap<string, boolean> => {
  const id = text(message.id)
  const prompt = message.type === "user"
  if (id === null || !(prompt ? isPrompt(message) : isAnswer(message))) return messages
  const added = messages === fresh.messages ? new Map(messages) : (messages as Map<string, boolean>)
  return added.set(id, prompt)
}

/** Rows in the user's role that gemini itself puts there, and its commands, are no conversation. */
export const isPrompt = (message: JsonObject): boolean =>
  !/^(?:$|[/?]|<(?:session|hook)_context>)/.test(contentOf(message.content).trim())

/** Whether a row is an answer of the model's. */
export const isAnswer = (message: JsonObject): boolean =>
  message.type === "gemini" &&
  (contentOf(message.content).trim() !== "" ||
    [message.content, message.toolCalls, message.thoughts].some((parts) => list(parts).length > 0))

/** The text of a message. */
export const contentOf = (content: unknown): string =>
  text(content) ??
  list(content)
    .map((part) => text(part) ?? text(object(part).text) ?? "")
    .join("")

/** Where copies are kept beside a project's `chats`; see `keep.ts`. */
export const keptFolder = "alluka"

/**
 * The files of a session in every project: `chats`, what gemini itself looks at; `kept`, our own copies. Fails where there
 * is no storage at all, which proves nothing: it may simply lie elsewhere.
 */
export const filesOf = (
  home: string,
  id: string
): Effect.Effect<{ readonly chats: ReadonlyArray<SessionFile>; readonly kept: ReadonlyArray<SessionFile> }, Error> =>
  Effect.gen(function* () {
    const root = join(home, "tmp")
    const projects = yield* Effect.tryPromise({
      try: () => readdir(root),
      catch: (cause) => notLookedInto(`gemini's storage ${root}`, cause)
    })
    const filesIn = (folder: string) =>
      Effect.gen(function* () {
        const all = yield* Effect.forEach(projects, (project) => named(join(root, project, folder), id))
        const files = yield* Effect.forEach(all.flat(), readSessionFile)
        return files.filter(({ seen }) => seen.sessionId === id)
      })
    return { chats: yield* filesIn("chats"), kept: yield* filesIn(keptFolder) }
  })

/** The files in a folder whose names may stand for the session. */
const named = (folder: string, id: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(() => readdir(folder).catch(() => [])).pipe(
    Effect.map((names) =>
      names
        .filter((name) => name.startsWith("session-") && name.endsWith(`-${id.slice(0, 8)}.jsonl`))
        .map((name) => join(folder, name))
    )
  )

const readSessionFile = (path: string): Effect.Effect<SessionFile, Error> =>
  Effect.gen(function* () {
    const root = join(dirname(dirname(path)), ".project_root")
    const project = yield* Effect.promise(() =>
      readFile(root, "utf8").then(
        (text) => text.trim(),
        () => null
      )
    )
    return { path, project, seen: yield* foldRows(path, fresh, look) }
  })

/** Whether a file holds a conversation; one without is a stub. */
export const holdsConversation = ({ seen }: SessionFile): boolean => seen.messages.size > 0

/** The file that gemini goes on from: of several, the one that was written to last. */
export const sessionFileAmong = (files: ReadonlyArray<SessionFile>): SessionFile | null =>
  files
    .filter(holdsConversation)
    .sort(
      (a, b) => (b.seen.lastRowAt ?? 0) - (a.seen.lastRowAt ?? 0) || basename(a.path).localeCompare(basename(b.path))
    )[0] ?? null
