/** For tests only: temporary folders, small programs, and requests. */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ids, Provider, type RunEvent } from "@alluka/core"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import type { Decoder } from "../decoder.js"

/** A folder that is gone when the scope closes. */
export const tempFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "alluka-providers-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** Writes a program of a few lines and answers its path. Its first line names its interpreter. */
export const program = (folder: string, name: string, source: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const path = join(folder, name)
    await writeFile(path, source, { mode: 0o755 })
    return path
  })

/** A program in JavaScript. */
export const script = (folder: string, name: string, source: string): Effect.Effect<string> =>
  program(folder, name, `#!${process.execPath}\n${source}\n`)

/** An id that no other test has. */
export const freshId = (): Ids.CheckpointId => {
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
  return Ids.CheckpointId.make(`ckpt_${Array.from(randomBytes(12), (byte) => alphabet[byte & 31]).join("")}`)
}

/** A request with what a test does not care about filled in. */
export const request = (more: Partial<Provider.StartRequest> = {}): Provider.StartRequest => ({
  checkpointId: freshId(),
  conversation: Provider.Conversation.New({ id: null }),
  prompt: "do the work",
  cwd: "/",
  model: null,
  thinking: null,
  permission: "edit",
  addDirs: [],
  args: [],
  ...more
})

/** Everything a run says, to its end. */
export const allOf = (running: Provider.RunningProvider): Effect.Effect<ReadonlyArray<RunEvent.RunEvent>> =>
  Effect.map(Stream.runCollect(running.events), Chunk.toReadonlyArray)

/** The events of one kind. */
export const only = <Tag extends RunEvent.RunEvent["_tag"]>(
  events: ReadonlyArray<RunEvent.RunEvent>,
  tag: Tag
): ReadonlyArray<Extract<RunEvent.RunEvent, { readonly _tag: Tag }>> =>
  events.filter((event): event is Extract<RunEvent.RunEvent, { readonly _tag: Tag }> => event._tag === tag)

/** Runs lines through a decoder, to the end. */
export const decodeAll = <S>(
  decoder: Decoder<S>,
  lines: ReadonlyArray<string>,
  ended: { readonly code?: number | null; readonly signal?: string | null; readonly stderr?: string } = {}
): ReadonlyArray<RunEvent.RunEvent> => {
  let state = decoder.initial
  const events: Array<RunEvent.RunEvent> = []
  for (const line of lines) {
    const [next, said] = decoder.line(state, line, 1_000_000)
    state = next
    events.push(...said)
  }
  const exit = { code: ended.code === undefined ? 0 : ended.code, signal: ended.signal ?? null }
  return [...events, ...decoder.end(state, { exit, stderrTail: ended.stderr ?? "" })]
}

/** The lines of a sample file: what a real program printed, without the fields that nothing reads. */
export const sampleLines =
  (base: string) =>
  (name: string): ReadonlyArray<string> =>
    readFileSync(new URL(`./samples/${name}.jsonl`, base), "utf8")
      .trimEnd()
      .split("\n")

/** Objects that look like a program's events: its own keys and words with anything in them. */
export const almostEvents = (keys: ReadonlyArray<string>, words: ReadonlyArray<string>): fc.Arbitrary<string> => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(fc.constantFrom(...words), fc.string(), fc.double(), fc.boolean(), fc.constant(null)),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie("tree"), { maxKeys: 6 })
    )
  }))
  const event = fc.dictionary(fc.constantFrom(...keys), tree, { maxKeys: 8 })
  return fc.tuple(fc.constantFrom(...words), event).map(([type, fields]) => JSON.stringify({ ...fields, type }))
}
