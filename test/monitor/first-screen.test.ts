/** The first screen of an empty store, and what it offers to a newcomer who has worked with other programs before. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { expect, it } from "vitest"
import type { Document } from "../support/documents.js"
import { openWorld, type World } from "../support/world.js"
import { key, openScreen, quiet } from "./screen.js"

const at = new Date(Date.now() - 3_600_000).toISOString()

const plant = (world: World, path: string, rows: ReadonlyArray<Record<string, unknown>>): void => {
  const file = world.path("home", path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, rows.map((row) => `${JSON.stringify({ timestamp: at, ...row })}\n`).join(""))
}

/** A conversation in claude's storage that has no answer. */
const claudeHeld = (world: World, number: number, asked: string): void => {
  const sessionId = `2a1c7f6e-0000-4000-8000-00000000000${number}`
  plant(world, `.claude/projects/-w/${sessionId}.jsonl`, [
    {
      type: "user",
      uuid: "a",
      sessionId,
      cwd: world.work,
      isSidechain: false,
      message: { role: "user", content: asked }
    }
  ])
}

/** A thread in codex's storage whose last turn has no end. */
const codexHeld = (world: World, asked: string): void => {
  const id = "2a1c7f6e-0000-7000-8000-000000000009"
  plant(world, `.codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-${id}.jsonl`, [
    { type: "session_meta", payload: { id, cwd: world.work } },
    { type: "event_msg", payload: { type: "task_started" } },
    {
      type: "response_item",
      payload: { type: "message", role: "user", content: [{ type: "input_text", text: asked }] }
    },
    { type: "event_msg", payload: { type: "turn_aborted" } }
  ])
}

it("counts what stopped in the middle elsewhere, and brings it in with a key", async () => {
  const world = openWorld()
  claudeHeld(world, 1, "water the garden")
  claudeHeld(world, 2, "count the birds")
  codexHeld(world, "mow the lawn")
  const screen = openScreen(world, [], { columns: 60, rows: 20, env: quiet })
  await screen.shows("No runs here yet.")
  await screen.shows(/i +bring in what stopped in the middle/)
  await screen.resize(80, 24)
  await screen.shows(/bring in what stopped in the middle: 2 of claude, 1 of codex/)
  const before = await world.json<Document & { readonly items: ReadonlyArray<unknown> }>(["runs", "list"])
  expect(before.items, "counting changes nothing").toEqual([])
  await screen.resize(120, 36)
  await screen.fits(120, 36)
  await screen.keys("i")
  await screen.shows(/Brought in 3 conversations · same as: .* import/)
  await screen.shows(/NEEDS ATTENTION +3/)
  await screen.shows("water the garden")
  await screen.shows("mow the lawn")
  await screen.keys("?")
  await screen.shows("type to search")
  screen.terminal.write("bring in")
  await screen.shows(/i +bring in conversations that stopped in the middle/)
  await screen.keys(key.escape)
})

it("says nothing of importing where there is nothing", async () => {
  const world = openWorld()
  const screen = openScreen(world, [], { env: quiet })
  await screen.shows("No provider's program was found")
  await screen.hides("Looking for conversations")
  expect(await screen.text()).not.toContain("bring in what stopped")
  await screen.keys("i")
  await screen.shows(/No conversation stopped in the middle · same as: .* import/)
})
