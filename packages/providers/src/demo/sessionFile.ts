/**
 * The demo agent's session file: which steps of its survey are done, and what they found. Written whole and put in place
 * by a rename after every step, so a kill at any moment leaves the last finished step. It holds no prompt, only its
 * fingerprint.
 */
import { createHash, randomUUID } from "node:crypto"
import { mkdir, open, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import * as Schema from "@alluka/core/Schema"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { isMissing } from "../process/errno.js"

const Finding = Schema.Struct({ step: Schema.String, at: Schema.String, summary: Schema.String })

export const Session = Schema.Struct({
  format: Schema.Literal("alluka-demo-session"),
  version: Schema.Literal(1),
  id: Schema.String,
  cwd: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  model: Schema.NullOr(Schema.String),
  thinking: Schema.NullOr(Schema.String),
  /** SHA-256 of the last prompt, and its length in characters. */
  promptHash: Schema.String,
  promptLength: Schema.Number,
  /** A prompt after a finished survey begins another one. */
  round: Schema.Number,
  done: Schema.Array(Finding)
})
export type Session = typeof Session.Type

/** There is no file of that session. */
export class NoSuchSession extends Data.TaggedError("NoSuchSession")<{ readonly id: string; readonly folder: string }> {
  override get message(): string {
    return `No demo session ${this.id} in ${this.folder}`
  }
}

/** The file is there and is no session. */
export class SessionDamaged extends Data.TaggedError("SessionDamaged")<{
  readonly path: string
  readonly why: string
}> {
  override get message(): string {
    return `The demo session ${this.path} is damaged: ${this.why}`
  }
}

/** The file could not be read or written. */
export class SessionFileFailed extends Data.TaggedError("SessionFileFailed")<{
  readonly operation: string
  readonly path: string
  readonly cause: unknown
}> {
  override get message(): string {
    const { cause } = this
    return `${this.operation} ${this.path}: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

export const sessionPath = (folder: string, id: string): string => join(folder, `${id}.json`)

/** What identifies a prompt without holding it. */
export const fingerprint = (prompt: string): Pick<Session, "promptHash" | "promptLength"> => ({
  promptHash: createHash("sha256").update(prompt).digest("hex"),
  promptLength: prompt.length
})

const decodeSession = Schema.decodeUnknown(Schema.parseJson(Session))

/** Reads a session. */
export const readSession = (
  folder: string,
  id: string
): Effect.Effect<Session, NoSuchSession | SessionDamaged | SessionFileFailed> => {
  const path = sessionPath(folder, id)
  return Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) =>
      isMissing(cause) ? new NoSuchSession({ id, folder }) : new SessionFileFailed({ operation: "read", path, cause })
  }).pipe(
    Effect.flatMap((content) =>
      decodeSession(content).pipe(Effect.mapError(() => new SessionDamaged({ path, why: "it is no session document" })))
    ),
    Effect.filterOrFail(
      (session) => session.id === id,
      (session) => new SessionDamaged({ path, why: `it belongs to ${session.id}` })
    )
  )
}

/** Writes a session in place of what is there; either the old content or the new is there at any moment. */
export const writeSession = (folder: string, session: Session): Effect.Effect<void, SessionFileFailed> => {
  const path = sessionPath(folder, session.id)
  const draft = `${path}.${randomUUID()}.tmp`
  return Effect.tryPromise({
    try: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = await open(draft, "wx", 0o600)
      try {
        await file.writeFile(`${JSON.stringify(session, null, 2)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
    },
    catch: (cause) => new SessionFileFailed({ operation: "write", path, cause })
  }).pipe(
    Effect.tapError(() => Effect.promise(() => rm(draft, { force: true }))),
    Effect.uninterruptible
  )
}
