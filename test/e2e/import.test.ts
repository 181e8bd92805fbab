/** `alluka import`: conversations that were held outside of Alluka become runs that can go on. */
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document } from "../support/documents.js"
import * as claude from "../support/stub/claudeStream.js"
import { exit } from "../support/stub/script.js"
import { openWorld, type World } from "../support/world.js"

interface Result extends Document {
  readonly items: ReadonlyArray<{
    readonly outcome: string
    readonly checkpoint_id: string | null
    readonly provider_session_id: string
    readonly stopped: string | null
  }>
}

const id = "2a1c7f6e-0000-4000-8000-000000000001"
const hourAgo = Date.now() - 3_600_000

/** A conversation in claude's storage; without an answer unless one is given. */
const held = (world: World, session: string, cwd: string, answered = false, at = hourAgo): string => {
  const path = world.path("home", ".claude", "projects", "-w", `${session}.jsonl`)
  const row = { sessionId: session, cwd, isSidechain: false, timestamp: new Date(at).toISOString() }
  const rows = [
    { ...row, type: "user", uuid: "a", message: { role: "user", content: "water the garden" } },
    ...(answered
      ? [
          {
            ...row,
            type: "assistant",
            uuid: "b",
            message: {
              role: "assistant",
              model: "M-1",
              content: [{ type: "text", text: "Done." }],
              stop_reason: "end_turn"
            }
          }
        ]
      : [])
  ]
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, rows.map((each) => `${JSON.stringify(each)}\n`).join(""))
  utimesSync(path, at / 1000, at / 1000)
  return path
}

test("a conversation that stopped in the middle becomes a run that goes on in it; again adds nothing", async () => {
  const world = openWorld()
  const file = held(world, id, world.work)
  const before = readFileSync(file)
  const first = await world.json<Result>(["import"])
  expect(first.items).toMatchObject([{ outcome: "imported", provider_session_id: id }])
  const imported = await world.show(first.items[0]?.checkpoint_id ?? "")
  expect(imported).toMatchObject({
    state: "interrupted",
    reason: { code: "interactive_ended" },
    origin: "interactive",
    title: "water the garden",
    resumable: true,
    started_at: new Date(hourAgo).toISOString(),
    ended_at: new Date(hourAgo).toISOString(),
    workspace: { cwd: world.work }
  })
  expect((await world.json<Result>(["import"])).items).toMatchObject([{ outcome: "known", checkpoint_id: null }])
  expect(readFileSync(file)).toEqual(before)

  world.stub("claude", { fresh: [claude.init(), claude.success(), exit(0)] })
  const resumed = await world.run(["resume", imported.id, "--json"])
  expect(resumed.code, describeEnd(resumed)).toBe(0)
  expect(world.stubStarts()).toMatchObject([{ resumed: true, session: id, cwd: world.work }])
})

test("what is complete, in use, of another folder or without its folder is left", async () => {
  const world = openWorld()
  const gone = world.path("gone")
  mkdirSync(gone)
  held(world, "2a1c7f6e-0000-4000-8000-000000000002", world.work, true)
  held(world, "2a1c7f6e-0000-4000-8000-000000000003", world.work, false, Date.now())
  held(world, "2a1c7f6e-0000-4000-8000-000000000004", gone)
  rmSync(gone, { recursive: true })
  const all = await world.json<Result>(["import"])
  expect(all.items.map(({ outcome }) => outcome).sort()).toEqual(["finished", "folder_missing", "in_use"])
  expect(all.items.every(({ checkpoint_id }) => checkpoint_id === null)).toBe(true)
  expect((await world.json<Result>(["import", "--here"], { cwd: world.home })).items).toEqual([])
})

test("a dry run says what it would do, and does nothing", async () => {
  const world = openWorld()
  held(world, id, world.work)
  expect((await world.json<Result>(["import", "--here", "-n"])).items).toMatchObject([{ outcome: "would_import" }])
  const list = await world.json<Document & { readonly items: ReadonlyArray<CheckpointDocument> }>(["runs", "list"])
  expect(list.items).toEqual([])
})

test("a provider that cannot be looked into is refused", async () => {
  const world = openWorld()
  const ended = await world.run(["import", "--provider", "demo"])
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain("cannot be looked for")
})
