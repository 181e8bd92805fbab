/**
 * A conversation with a server that remembers none: one file a session, one line a message, only ever added to. A message
 * is synced to the disk before anything that follows from it happens. A line that a crash cut is taken off before the next
 * one is written, so that nothing is ever appended to half a line.
 *
 * What is written is redacted; a message that this changed says so, and a resume tells it.
 */
import { constants } from "node:fs"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Checkpoint, Provider } from "@alluka/core"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { absent, damaged, present, unknown } from "../inspection.js"
import { type JsonObject, moment, number, parseObject, text } from "../json.js"
import { isMissing } from "../process/errno.js"
import { foldRows, type Row } from "../process/jsonLines.js"
import { uuidFor } from "../sessionIds.js"

export interface Entry {
  readonly role: "user" | "assistant"
  readonly content: string
  /** The answer was cut off: it ends somewhere. */
  readonly cut: boolean
  /** The copy lacks secrets that the message had. */
  readonly redacted: boolean
}

export interface Transcript {
  readonly entries: ReadonlyArray<Entry>
  readonly lastAt: Checkpoint.Time | null
  readonly tailBroken: boolean
}

/** There is no transcript of that session. */
export class NoSuchTranscript extends Data.TaggedError("NoSuchTranscript")<{
  readonly id: string
  readonly folder: string
}> {
  override get message(): string {
    return `there is no transcript of ${this.id} in ${this.folder}`
  }
}

/** The transcript is there, and a part of it is lost. */
export class TranscriptDamaged extends Data.TaggedError("TranscriptDamaged")<{
  readonly path: string
  readonly why: string
}> {
  override get message(): string {
    return `the transcript ${this.path} is damaged: ${this.why}`
  }
}

/** The transcript could not be read or written. */
export class TranscriptFailed extends Data.TaggedError("TranscriptFailed")<{
  readonly operation: string
  readonly path: string
  readonly cause: unknown
}> {
  override get message(): string {
    const { cause } = this
    return `${this.operation} ${this.path}: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

const format = "alluka-api-session"
const version = 1

/** The session's id for a seed; always the same one. */
export const sessionIdFor = (seed: string): string => `api_${uuidFor(seed).replaceAll("-", "")}`

export const isSessionId = (text: string): boolean => /^api_[0-9a-f]{32}$/.test(text)

export const transcriptPath = (folder: string, id: string): string => join(folder, `${id}.jsonl`)

// ---------------------------------------------------------------- reading

interface Seen {
  readonly id: string | null
  readonly entries: ReadonlyArray<Entry>
  readonly lastAt: Checkpoint.Time | null
  readonly fault: string | null
  readonly tailBroken: boolean
}

const unseen: Seen = { id: null, entries: [], lastAt: null, fault: null, tailBroken: false }

/** Takes one line in; pure. Lines are numbered, so one that is missing is noticed. */
export const look = (seen: Seen, { last, line, value }: Row): Seen => {
  if (seen.fault !== null) return seen
  const broken = (why: string): Seen => ({ ...seen, fault: `line ${line} ${why}` })
  if (value === null) return last ? { ...seen, tailBroken: true } : broken("is no JSON")
  if (seen.id === null) {
    const id = text(value.id)
    return value.format === format && value.version === version && id !== null
      ? { ...seen, id, lastAt: moment(value.at) }
      : broken("is not the head of a transcript of this version")
  }
  const entry = entryOf(value)
  if (entry === null) return broken("is no message")
  if (number(value.n) !== seen.entries.length + 1) return broken(`has the number ${String(value.n)}: one is missing`)
  return { ...seen, entries: [...seen.entries, entry], lastAt: moment(value.at) ?? seen.lastAt }
}

const entryOf = (value: JsonObject): Entry | null => {
  const { role } = value
  const content = text(value.content)
  return (role === "user" || role === "assistant") && content !== null
    ? { role, content, cut: value.cut === true, redacted: value.redacted === true }
    : null
}

/** Reads a transcript. */
export const readTranscript = (
  folder: string,
  id: string
): Effect.Effect<Transcript, NoSuchTranscript | TranscriptDamaged | TranscriptFailed> => {
  const path = transcriptPath(folder, id)
  return foldRows(path, unseen, look).pipe(
    Effect.mapError(({ cause }) =>
      isMissing(cause) ? new NoSuchTranscript({ id, folder }) : new TranscriptFailed({ operation: "read", path, cause })
    ),
    Effect.flatMap((seen) => {
      const why =
        seen.fault ?? (seen.id === null ? "it has no head" : seen.id === id ? null : `it belongs to ${seen.id}`)
      return why === null ? Effect.succeed(seen) : Effect.fail(new TranscriptDamaged({ path, why }))
    })
  )
}

/** What the folder holds of a session, for a resume that is being decided. */
export const inspectTranscript = (folder: string, id: string): Effect.Effect<Provider.SessionInspection> => {
  const path = transcriptPath(folder, id)
  return readTranscript(folder, id).pipe(
    Effect.map(({ entries, lastAt, tailBroken }) =>
      present(path, { lastRowAt: lastAt, tailBroken, promptMissing: !entries.some(({ role }) => role === "user") })
    ),
    Effect.catchTags({
      NoSuchTranscript: (error) => Effect.succeed(absent(error.message)),
      TranscriptDamaged: ({ why }) =>
        Effect.succeed(damaged(`the transcript is damaged: ${why}`, path, { lastRowAt: null, tailBroken: false })),
      TranscriptFailed: (error) => Effect.succeed(unknown(error.message, path))
    })
  )
}

// ---------------------------------------------------------------- writing

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`

const rowOf = (n: number, at: number, entry: Entry): string =>
  lineOf({
    n,
    at: new Date(at).toISOString(),
    role: entry.role,
    content: entry.content,
    ...(entry.cut ? { cut: true } : {}),
    ...(entry.redacted ? { redacted: true } : {})
  })

/** Begins a transcript, with the messages of the one that it is a copy of. It must not exist yet. */
export const createTranscript = (
  folder: string,
  id: string,
  at: number,
  copied: ReadonlyArray<Entry> = []
): Effect.Effect<void, TranscriptFailed> => {
  const path = transcriptPath(folder, id)
  const head = lineOf({ format, version, id, at: new Date(at).toISOString() })
  const rows = copied.map((entry, index) => rowOf(index + 1, at, entry))
  return writing("create", path, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    await withFile(path, flags, async (file) => {
      await file.chmod(0o600)
      await file.writeFile([head, ...rows].join(""))
    })
    await withFile(dirname(path), constants.O_RDONLY, async () => undefined)
  })
}

/** Adds a message as the next one, `n` being its number from 1. */
export const appendEntry = (
  folder: string,
  id: string,
  n: number,
  at: number,
  entry: Entry
): Effect.Effect<void, TranscriptFailed> => {
  const path = transcriptPath(folder, id)
  return writing("write", path, () =>
    withFile(path, constants.O_RDWR | constants.O_NOFOLLOW, async (file) => {
      const end = await endOfLines(file)
      await file.truncate(end.at)
      const line = Buffer.from(`${end.missing}${rowOf(n, at, entry)}`)
      for (let done = 0; done < line.length; ) {
        done += (await file.write(line, done, line.length - done, end.at + done)).bytesWritten
      }
    })
  )
}

const writing = (operation: string, path: string, write: () => Promise<void>): Effect.Effect<void, TranscriptFailed> =>
  Effect.tryPromise({ try: write, catch: (cause) => new TranscriptFailed({ operation, path, cause }) }).pipe(
    Effect.uninterruptible
  )

/** Opens, uses, syncs and closes a file (or, to sync it, a folder). */
const withFile = async (path: string, flags: number, use: (file: FileHandle) => Promise<void>): Promise<void> => {
  const file = await open(path, flags, 0o600)
  try {
    await use(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Where the next line begins: behind the last whole one, which may lack its end. */
const endOfLines = async (file: FileHandle): Promise<{ readonly at: number; readonly missing: "" | "\n" }> => {
  const { size } = await file.stat()
  let tail = Buffer.alloc(0)
  let from = size
  while (from > 0 && tail.indexOf(10) === -1) {
    const length = Math.min(64 * 1024, from)
    from -= length
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, from)
    tail = Buffer.concat([buffer, tail])
    if (tail.at(-1) === 10) return { at: size, missing: "" }
  }
  const rest = tail.subarray(tail.lastIndexOf(10) + 1)
  return parseObject(rest.toString("utf8")) === null
    ? { at: size - rest.length, missing: "" }
    : { at: size, missing: "\n" }
}
