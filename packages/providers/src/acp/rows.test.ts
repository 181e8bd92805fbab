/** Conversations that are one file with one row a line, as qwen 0.24.4 and copilot 1.0.102 keep them. */
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tempFolder } from "../testing/support.js"
import { knownAgents } from "./agents.js"

const id = "9d9b6b4d-2d1c-4a8f-8f39-0e4a1c9f7b11"
const at = "2026-12-01T02:43:29.123Z"
const row = (value: object): string => `${JSON.stringify(value)}\n`

const kept = {
  qwen: {
    path: `projects/-home-u-work/chats/${id}.jsonl`,
    prompt: row({ uuid: "1", type: "user", timestamp: at, message: { role: "user", parts: [{ text: "hello" }] } }),
    answer: row({ uuid: "2", type: "assistant", timestamp: at, message: { role: "model", parts: [{ text: "hi" }] } })
  },
  copilot: {
    path: `session-state/${id}/events.jsonl`,
    prompt: row({ type: "user.message", timestamp: at, data: { content: "hello" } }),
    answer: row({ type: "assistant.message", timestamp: at, data: { content: "hi" } })
  }
} as const

/** What is seen of the session; `null`: there is no file of it, but there is one of another. */
const looked = (agent: keyof typeof kept, content: string | null) =>
  Effect.gen(function* () {
    const home = yield* tempFolder
    const write = (path: string, text: string) =>
      Effect.promise(async () => {
        await mkdir(dirname(join(home, path)), { recursive: true })
        await writeFile(join(home, path), text)
      })
    yield* write(kept[agent].path.replaceAll(id, id.replace("9", "0")), kept[agent].prompt)
    if (content !== null) yield* write(kept[agent].path, content)
    const storage = knownAgents.find((each) => each.id === agent)?.storage
    if (storage === undefined) throw new Error(`${agent} has no storage`)
    return yield* storage.inspectSession({ id, assignedBy: "provider", seenAt: null, location: home }, {})
  })

describe.each(["qwen", "copilot"] as const)("a session of %s", (agent) => {
  const { answer, prompt } = kept[agent]

  it.scopedLive("is present, absent, or damaged, as its rows are", () =>
    Effect.gen(function* () {
      const whole = yield* looked(agent, prompt + answer)
      assert.deepInclude(whole, { presence: "present", promptMissing: false, lastRowAt: Date.parse(at) })
      assert.deepInclude(yield* looked(agent, answer), { presence: "present", promptMissing: true })
      assert.strictEqual((yield* looked(agent, null)).presence, "absent")
      assert.strictEqual((yield* looked(agent, "")).presence, "absent")
      const broken = yield* looked(agent, `${prompt}${prompt.slice(0, 20)}\n${answer}`)
      assert.deepInclude(broken, { presence: "damaged", brokenLines: 1 })
      assert.include(broken.detail, `line 2`)
      assert.deepInclude(yield* looked(agent, prompt + answer.slice(0, 20)), { presence: "present", tailDamaged: true })
      assert.strictEqual((yield* looked(agent, prompt.slice(0, 20))).presence, "damaged")
    })
  )

  it.effect("is unknown where there is no storage, and a recorded folder is used again", () =>
    Effect.gen(function* () {
      const storage = knownAgents.find((each) => each.id === agent)?.storage
      const env = { HOME: "/nowhere/home" }
      const seen = yield* storage?.inspectSession({ id, assignedBy: "provider", seenAt: null, location: null }, env) ??
        Effect.die("no storage")
      assert.strictEqual(seen.presence, "unknown")
      const variable = agent === "qwen" ? "QWEN_HOME" : "COPILOT_HOME"
      assert.strictEqual(storage?.location({ ...env, [variable]: "/there" }), "/there")
      assert.deepStrictEqual(storage?.envFor(null, env), {})
      assert.deepStrictEqual(storage?.envFor("/there", env), { [variable]: "/there" })
      assert.deepStrictEqual(storage?.envFor(storage.location(env), { ...env, [variable]: "/there" }), {
        [variable]: undefined
      })
    })
  )
})
