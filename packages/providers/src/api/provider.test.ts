import { readFile, stat, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { list, object } from "../json.js"
import {
  answering,
  type ChatServer,
  chatServer,
  delta,
  finish,
  type Reply,
  refusing,
  sse
} from "../testing/chatServer.js"
import { allOf, only, request, tempFolder } from "../testing/support.js"
import { makeApiProvider } from "./provider.js"
import { sessionIdFor, transcriptPath } from "./transcript.js"

const { Continue, Fork, New } = Provider.Conversation
const id = sessionIdFor("a")

const world = (...replies: ReadonlyArray<Reply>) =>
  Effect.gen(function* () {
    const folder = join(yield* tempFolder, "conversations")
    const server = yield* chatServer(...replies)
    const on = (
      more: {
        readonly env?: Record<string, string>
        readonly keyVariable?: string
        readonly instructions?: string
      } = {}
    ) =>
      makeApiProvider(
        "api",
        {
          type: "api",
          baseUrl: server.baseUrl,
          model: "m-1",
          keyVariable: more.keyVariable ?? null,
          thinking: ["low"],
          instructions: more.instructions ?? null
        },
        { env: more.env ?? {}, transcripts: folder, redact: (text) => text.replaceAll("hunter2", "[redacted]") }
      )
    const run = (asked: Partial<Provider.StartRequest> = {}, provider = on()) =>
      Effect.flatMap(provider.start(request({ conversation: New({ id }), ...asked })), allOf)
    const file = (name = id) => Effect.promise(() => readFile(transcriptPath(folder, name), "utf8"))
    return { folder, server, on, run, file }
  })

const messages = ({ asked }: ChatServer) =>
  list(asked.at(-1)?.body.messages)
    .map(object)
    .map(({ content, role }) => `${role}: ${content}`)
const rows = (file: string) =>
  file
    .trim()
    .split("\n")
    .map((line) => object(JSON.parse(line)))
const failure = (events: Parameters<typeof only>[0]) => only(events, "Failed")[0]?.failure ?? null
const again = Continue({ id, location: null })

describe("a run", () => {
  it.scopedLive("stores the prompt, streams the answer and stores it before it succeeds", () =>
    Effect.gen(function* () {
      const { file, folder, run, server } = yield* world({ ...answering("Hello ", "you"), pause: 20 })
      const events = yield* run({ prompt: "hi there" })
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        [
          ...["SessionNamed", "SettingsReported", "TurnStarted", "SettingsReported", "LineRead", "Message"],
          ...["UsageReported", "Succeeded", "Exited"]
        ]
      )
      assert.deepStrictEqual({ ...only(events, "SessionNamed")[0] }, {
        ...{ _tag: "SessionNamed", id, location: folder, confirms: true }
      } as never)
      assert.strictEqual(only(events, "SettingsReported")[1]?.model, "m-actual")
      assert.deepStrictEqual(only(events, "UsageReported")[0]?.usage, {
        inputTokens: 11,
        outputTokens: 7,
        costUsd: null
      })
      assert.deepStrictEqual(only(events, "Exited")[0]?.exit, { code: 0, signal: null })
      assert.deepStrictEqual(
        rows(yield* file()).map(({ content, n, role }) => [n, role, content]),
        [
          [undefined, undefined, undefined],
          [1, "user", "hi there"],
          [2, "assistant", "Hello you"]
        ]
      )
      const mode = yield* Effect.promise(() => Promise.all([stat(folder), stat(transcriptPath(folder, id))]))
      assert.deepStrictEqual(
        mode.map((each) => each.mode & 0o777),
        [0o700, 0o600]
      )
      assert.deepStrictEqual(messages(server), ["user: hi there"])
      assert.strictEqual(server.asked[0]?.path, "/v1/chat/completions")
      assert.isUndefined(server.asked[0]?.headers.authorization)
    })
  )

  it.scopedLive("sends the key of its variable, and writes it nowhere", () =>
    Effect.gen(function* () {
      const { file, on, run, server } = yield* world(answering("ok"))
      const env = { MY_KEY: "sk-secret", OPENAI_API_KEY: "sk-other" }
      const events = yield* run({}, on({ env, keyVariable: "MY_KEY" }))
      assert.strictEqual(server.asked[0]?.headers.authorization, "Bearer sk-secret")
      assert.notInclude((yield* file()) + JSON.stringify(events), "sk-")
      const without = on({ env: {}, keyVariable: "MY_KEY" })
      assert.strictEqual(yield* without.auth, "absent")
      assert.include(without.objection?.({ permission: "edit", thinking: null }), "MY_KEY")
      const refused = yield* Effect.flip(without.start(request({ conversation: New({ id }) })))
      assert.include(refused.message, "MY_KEY")
      assert.strictEqual(yield* on().auth, "unknown")
    })
  )

  it.scopedLive("without a model says so, and asks nobody", () =>
    Effect.gen(function* () {
      const { folder, server } = yield* world(answering("ok"))
      const provider = makeApiProvider(
        "api",
        { type: "api", baseUrl: server.baseUrl, model: null, keyVariable: null, thinking: [], instructions: null },
        { env: {}, transcripts: folder, redact: (text) => text }
      )
      const events = yield* allOf(yield* provider.start(request({ conversation: New({ id }) })))
      assert.strictEqual(failure(events)?.code, "invalid_request")
      assert.strictEqual(server.asked.length, 0)
    })
  )
})

describe("a resume", () => {
  it.scopedLive("sends the whole conversation again, and the new prompt once", () =>
    Effect.gen(function* () {
      const { file, on, run, server } = yield* world(answering("first answer"), answering("second answer"))
      yield* run({ prompt: "remember zebra" })
      const before = yield* file()
      const events = yield* run({ conversation: again, prompt: "go on" }, on({ instructions: "Be brief." }))
      assert.deepStrictEqual(messages(server), [
        ...["system: Be brief.", "user: remember zebra", "assistant: first answer", "user: go on"]
      ])
      assert.include(only(events, "Notice")[0]?.text, "2 messages of the conversation are sent again")
      const after = yield* file()
      assert.isTrue(after.startsWith(before))
      assert.strictEqual(rows(after).length, 5)
    })
  )

  it.scopedLive("of a prompt that was never answered does not say it twice", () =>
    Effect.gen(function* () {
      const { file, run, server } = yield* world(refusing(401, { message: "no" }), answering("ok"))
      assert.strictEqual(failure(yield* run({ prompt: "the task" }))?.code, "auth_required")
      yield* run({ conversation: again, prompt: "the task" })
      assert.deepStrictEqual(messages(server), ["user: the task"])
      assert.strictEqual(rows(yield* file()).length, 3)
    })
  )

  it.scopedLive("goes on from an answer that was cut off, which it shows to the model as its own", () =>
    Effect.gen(function* () {
      const cut: Reply = { parts: [delta("half an "), delta("answer")], after: "destroy", pause: 20 }
      const { file, run, server } = yield* world(cut, answering("ok"))
      const events = yield* run({ prompt: "the task" })
      assert.strictEqual(failure(events)?.code, "network_lost")
      assert.strictEqual(only(events, "Message")[0]?.text, "half an answer")
      assert.strictEqual(only(events, "Succeeded").length, 0)
      assert.isTrue(rows(yield* file()).at(-1)?.cut)
      yield* run({ conversation: again, prompt: "go on" })
      assert.deepStrictEqual(messages(server), ["user: the task", "assistant: half an answer", "user: go on"])
    })
  )

  it.scopedLive("after a crash in the middle of a line drops that line and nothing else", () =>
    Effect.gen(function* () {
      const { file, folder, on, run, server } = yield* world(answering("first answer"), answering("second answer"))
      yield* run({ prompt: "the task" })
      const path = transcriptPath(folder, id)
      const whole = yield* file()
      yield* Effect.promise(() => truncate(path, Buffer.byteLength(whole) - 20))
      const session = { id, assignedBy: "caller" as const, seenAt: null, location: folder }
      const seen = yield* on().inspectSession(session, "/")
      assert.deepStrictEqual([seen.presence, seen.tailDamaged], ["present", true])
      const events = yield* run({ conversation: again, prompt: "go on" })
      assert.isTrue(only(events, "Notice").some(({ text }) => text.includes("was cut")))
      assert.deepStrictEqual(messages(server), ["user: the task\n\ngo on"])
      assert.deepStrictEqual(
        rows(yield* file()).map(({ n }) => n),
        [undefined, 1, 2, 3]
      )
      assert.strictEqual((yield* on().inspectSession(session, "/")).tailDamaged, false)
    })
  )

  it.scopedLive("of a line that lacks only its end keeps it", () =>
    Effect.gen(function* () {
      const { file, folder, run, server } = yield* world(answering("first"), answering("second"))
      yield* run({ prompt: "the task" })
      yield* Effect.promise(async () =>
        truncate(transcriptPath(folder, id), (await stat(transcriptPath(folder, id))).size - 1)
      )
      yield* run({ conversation: again, prompt: "go on" })
      assert.deepStrictEqual(messages(server), ["user: the task", "assistant: first", "user: go on"])
      assert.strictEqual(rows(yield* file()).length, 5)
    })
  )

  it.scopedLive("of a transcript that is gone, damaged or another's starts nothing", () =>
    Effect.gen(function* () {
      const { file, folder, on, run, server } = yield* world(answering("ok"))
      const lost = failure(yield* run({ conversation: again }))
      assert.deepStrictEqual([lost?.code, lost?.lostSession], ["provider_session_missing", "no_such_session"])
      const look = on().inspectSession({ id, assignedBy: "caller", seenAt: null, location: null }, "/")
      assert.strictEqual((yield* look).presence, "absent")
      yield* run({ prompt: "the task" })
      const path = transcriptPath(folder, id)
      const [head, first, second] = (yield* file()).trim().split("\n")
      const other = sessionIdFor("b")
      for (const damaged of [
        [head, "{torn", first, second],
        [head, second],
        [first, second],
        [head?.replace(id, other), first],
        []
      ]) {
        yield* Effect.promise(() => writeFile(path, damaged.map((line) => `${line}\n`).join("")))
        const events = yield* run({ conversation: again })
        assert.strictEqual(failure(events)?.code, "provider_error")
        assert.isNull(failure(events)?.lostSession)
        assert.strictEqual((yield* look).presence, "damaged")
      }
      assert.strictEqual(server.asked.length, 1)
    })
  )

  it.scopedLive("lacks the secrets that were removed from our copy, and says so", () =>
    Effect.gen(function* () {
      const { file, run, server } = yield* world(answering("I use hunter2 now"), answering("ok"))
      yield* run({ prompt: "the password is hunter2" })
      assert.deepStrictEqual(messages(server), ["user: the password is hunter2"])
      assert.notInclude(yield* file(), "hunter2")
      const events = yield* run({ conversation: again, prompt: "go on" })
      assert.isTrue(only(events, "Notice").some(({ text }) => text.includes("secrets were removed from 2")))
      assert.strictEqual(messages(server)[0], "user: the password is [redacted]")
    })
  )

  it.scopedLive("in a copy leaves the original as it is", () =>
    Effect.gen(function* () {
      const { file, run, server } = yield* world(answering("first"), answering("second"))
      yield* run({ prompt: "the task" })
      const before = yield* file()
      const copy = sessionIdFor("copy")
      const events = yield* run({ conversation: Fork({ from: id, location: null, id: copy }), prompt: "elsewhere" })
      assert.strictEqual(only(events, "SessionNamed")[0]?.id, copy)
      assert.deepStrictEqual(messages(server), ["user: the task", "assistant: first", "user: elsewhere"])
      assert.strictEqual(yield* file(), before)
      assert.strictEqual(rows(yield* file(copy)).length, 5)
    })
  )

  it.scopedLive("of an id that is none of ours touches no file", () =>
    Effect.gen(function* () {
      const { run } = yield* world(answering("ok"))
      for (const hostile of ["", "../../etc/passwd", "api_x"]) {
        const error = yield* Effect.flip(run({ conversation: Continue({ id: hostile, location: null }) }))
        assert.strictEqual(error._tag, "ProviderStartFailed")
      }
    })
  )
})

describe("a server's faults", () => {
  it.scopedLive("are told with their class and words", () =>
    Effect.gen(function* () {
      for (const [reply, code, words] of [
        [refusing(401, { message: "bad key" }), "auth_required", "bad key"],
        [refusing(404, { code: "model_not_found", message: "no model m-1" }), "model_unavailable", "no model m-1"],
        [
          { status: 404, headers: { "content-type": "text/html" }, parts: ["<html>"] },
          "invalid_request",
          "is the address right?"
        ],
        [refusing(429, { code: "insufficient_quota", message: "out of money" }), "budget_exceeded", "out of money"],
        [refusing(429, { message: "later" }, { "retry-after": "7200" }), "usage_limit", "later"],
        [refusing(400, { code: "context_length_exceeded", message: "too long" }), "context_exhausted", "too long"],
        [
          { status: 302, headers: { location: "http://evil.example/" }, parts: [] },
          "invalid_request",
          "redirects to http://evil.example/"
        ],
        [{ parts: [delta("x"), sse({ error: { message: "mid-stream" } })] }, "provider_error", "mid-stream"],
        [{ parts: [delta("x"), finish("length")] }, "provider_error", "limit of output tokens"],
        [{ parts: [] }, "network_lost", "before the answer began"],
        [{ headers: { "content-type": "application/json" }, parts: ["not json"] }, "provider_error", "JSON"],
        [
          { headers: { "content-type": "application/json" }, parts: Array(20).fill(" ".repeat(1024 * 1024)) },
          "provider_error",
          "longer than 16 MiB"
        ]
      ] as const) {
        const { run } = yield* world(reply)
        const events = yield* run()
        assert.strictEqual(failure(events)?.code, code)
        assert.include(failure(events)?.text, words)
        assert.deepStrictEqual(only(events, "Exited")[0]?.exit.code, 1)
        assert.strictEqual(only(events, "Succeeded").length, 0)
      }
    })
  )

  it.scopedLive("that pass are waited for, and announced", () =>
    Effect.gen(function* () {
      const busy = refusing(503, { message: "busy" }, { "retry-after": "0" })
      const { run, server } = yield* world(busy, busy, answering("ok"))
      const events = yield* run()
      assert.strictEqual(only(events, "Retrying").length, 2)
      assert.strictEqual(only(events, "Succeeded").length, 1)
      assert.strictEqual(server.asked.length, 3)
      const never = yield* world(busy)
      assert.strictEqual(failure(yield* never.run())?.code, "provider_overloaded")
      assert.strictEqual(never.server.asked.length, 4)
    })
  )

  it.scopedLive("over the count of tokens are gone around", () =>
    Effect.gen(function* () {
      const { run, server } = yield* world(refusing(400, { message: "Unknown field: stream_options" }), answering("ok"))
      assert.strictEqual(only(yield* run(), "Succeeded").length, 1)
      assert.isUndefined(server.asked[1]?.body.stream_options)
    })
  )

  it.scopedLive("garbage in the stream is passed over, and a whole answer in one piece is taken", () =>
    Effect.gen(function* () {
      const odd = yield* world({
        parts: [": keep-alive\n\n", sse("not json"), sse("[1]"), "nonsense\n\n", delta("ok"), finish("stop")]
      })
      assert.strictEqual(only(yield* odd.run(), "Succeeded")[0]?.text, "ok")
      const whole = yield* world({
        headers: { "content-type": "application/json" },
        parts: [JSON.stringify({ choices: [{ message: { content: "whole" }, finish_reason: "stop" }] })]
      })
      assert.strictEqual(only(yield* whole.run(), "Succeeded")[0]?.text, "whole")
      const empty = yield* world({ parts: [finish("stop")] })
      const events = yield* empty.run()
      assert.strictEqual(only(events, "Succeeded").length + only(events, "Failed").length, 0)
    })
  )

  it.scopedLive("a server that is not there is a lost network", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const { baseUrl } = yield* Effect.scoped(chatServer())
      const provider = makeApiProvider(
        "api",
        {
          type: "api",
          baseUrl,
          model: "m",
          keyVariable: null,
          thinking: [],
          instructions: null
        },
        { env: {}, transcripts: folder, redact: (text) => text }
      )
      const running = yield* provider.start(request({ conversation: New({ id }) }))
      const first = yield* running.events.pipe(
        Stream.takeUntil(({ _tag }) => _tag === "Retrying"),
        Stream.runCollect
      )
      const [retrying] = only([...first], "Retrying")
      assert.include(retrying?.text, "ECONNREFUSED")
      assert.include(retrying?.text, "is the server running")
    })
  )
})

describe("a stop", () => {
  it.scopedLive("ends the request at once and keeps what came", () =>
    Effect.gen(function* () {
      const { file, on } = yield* world({ parts: [delta("half")], after: "hang" })
      const running = yield* on().start(request({ conversation: New({ id }), prompt: "the task" }))
      const seen: Array<Parameters<typeof only>[0][number]> = []
      const reader = yield* Effect.fork(Stream.runForEach(running.events, (each) => Effect.sync(() => seen.push(each))))
      while (only(seen, "SettingsReported").length < 2) yield* Effect.sleep(20)
      const began = performance.now()
      yield* running.stop("cancel")
      yield* Fiber.join(reader)
      assert.isBelow(performance.now() - began, 1000)
      assert.deepStrictEqual(
        seen.slice(-3).map(({ _tag }) => _tag),
        ["LineRead", "Message", "Exited"]
      )
      assert.deepStrictEqual(
        rows(yield* file()).map(({ content, cut }) => [content, cut]),
        [
          [undefined, undefined],
          ["the task", undefined],
          ["half", true]
        ]
      )
    })
  )
})
