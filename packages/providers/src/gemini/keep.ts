/**
 * Keeps a session alive over its resume. Every `gemini --resume` leaves a stub: a second file with the session's id and no
 * conversation. The next start of gemini in that folder, whoever makes it, takes the stub for a damaged session and deletes
 * all files whose names end in the same 8 characters, the conversation among them (0.61.0; its own settings that turn this
 * off belong to the person). So before a resume stubs are removed and a copy is made beside gemini's `chats`; after the run
 * the new stub is removed and the copy with it. A copy that a killed owner left is put back by the next resume.
 *
 * The copy is a second name of the same file (a hard link) where it can be: gemini only ever appends, so the copy has all
 * that the resumed run adds.
 */
import { copyFile, link, mkdir, rm, rmdir, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import type { Provider } from "@alluka/core"
import { RunEvent } from "@alluka/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Env, NotPrepared, type Prepared } from "../processProvider.js"
import { location } from "./location.js"
import { filesOf, holdsConversation, keptFolder, type SessionFile, sessionFileAmong } from "./sessionFiles.js"

const restoredNotice =
  "gemini had deleted the file of this session; it was put back from the copy kept at the last resume"

/**
 * What is done before a start. A storage that cannot be looked into leaves the answer to gemini; a copy that cannot be made
 * stops the resume, since it could cost the conversation.
 */
export const prepare = (
  request: Provider.StartRequest,
  { env }: { readonly env: Env }
): Effect.Effect<Prepared, NotPrepared, Scope.Scope> =>
  Effect.gen(function* () {
    const { conversation } = request
    const unchanged: Prepared = { request, beside: Stream.empty }
    if (conversation._tag === "New") return unchanged
    const id = conversation._tag === "Fork" ? conversation.from : conversation.id
    const home = location(env)
    const files = yield* Effect.option(filesOf(home, id))
    if (files._tag === "None") return unchanged
    const { chats, kept } = files.value
    const file = sessionFileAmong(chats)
    const copy = sessionFileAmong(kept)
    const session = file ?? copy
    if (session === null) return unchanged
    if (session.project !== null && session.project !== request.cwd) {
      return yield* new NotPrepared({
        operation: "look the session up",
        message: `the conversation belongs to ${session.project}; gemini does not find it from ${request.cwd}. Resume it in its own folder, or start fresh`
      })
    }
    yield* attempt("keep a copy of the session file", async () => {
      await removeStubs(chats)
      if (file === null) await putBack(session.path)
      else await copyAside(file.path)
    })
    yield* Effect.addFinalizer(() => Effect.ignore(settle(home, id)))
    return file === null
      ? { request, beside: Stream.make(RunEvent.RunEvent.Notice({ text: restoredNotice })) }
      : unchanged
  })

const attempt = (operation: string, act: () => Promise<void>): Effect.Effect<void, NotPrepared> =>
  Effect.tryPromise({
    try: act,
    catch: (cause) =>
      new NotPrepared({
        operation,
        message: `the session file could not be kept safe from gemini's clean-up: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

/** After the run: no stub, the session file in its place, and no copy any more. */
const settle = (home: string, id: string): Effect.Effect<void, Error> =>
  Effect.gen(function* () {
    const { chats, kept } = yield* filesOf(home, id)
    yield* Effect.tryPromise(async () => {
      await removeStubs(chats)
      if (sessionFileAmong(chats) === null) {
        const copy = sessionFileAmong(kept)
        if (copy !== null) await putBack(copy.path)
      }
      for (const { path } of kept) await forget(path)
    })
  })

const removeStubs = async (files: ReadonlyArray<SessionFile>): Promise<void> => {
  for (const file of files) if (!holdsConversation(file)) await rm(file.path, { force: true })
}

/** `tmp/<project>/chats/NAME` becomes `tmp/<project>/alluka/NAME`, and the other way round. */
const beside = (path: string, folder: string): string => join(dirname(dirname(path)), folder, basename(path))

const copyAside = async (path: string): Promise<void> => {
  const copy = beside(path, keptFolder)
  await mkdir(dirname(copy), { recursive: true, mode: 0o700 })
  const [own, old] = await Promise.all([stat(path), stat(copy).catch(() => null)])
  if (old !== null && old.ino === own.ino && old.dev === own.dev) return
  await rm(copy, { force: true })
  await sameFile(path, copy)
}

const putBack = async (copy: string): Promise<void> => {
  const path = beside(copy, "chats")
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await sameFile(copy, path)
}

/** A second name, or on file systems without that a copy. */
const sameFile = (from: string, to: string): Promise<void> => link(from, to).catch(() => copyFile(from, to))

/** Removes a copy, and the folder with the last of them. */
const forget = async (copy: string): Promise<void> => {
  await rm(copy, { force: true })
  await rmdir(dirname(copy)).catch(() => undefined)
}
