import * as Fs from "node:fs"
import { Ids, type OutputLog } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import { at, temporaryFolder } from "../support/fixtures.js"
import { decodeLine, decodeLines, encodeLine, maxText } from "./line.js"
import { make } from "./OutputLog.js"
import { keptSegments, segmentBytes, segmentPath, segmentsOf } from "./segments.js"

const id = Ids.CheckpointId.make("ckpt_000000000001")
const other = Ids.CheckpointId.make("ckpt_000000000002")

const line = (text: string, from: "stdout" | "stderr" = "stdout"): OutputLog.OutputLine => ({ at, from, text })
const lines = (first: number, count: number) => Array.from({ length: count }, (_, n) => line(`line ${first + n}`))

const texts = (stream: Stream.Stream<OutputLog.OutputLine>) =>
  Effect.map(Stream.runCollect(stream), (all) => Chunk.toReadonlyArray(all).map(({ text }) => text))

const onFolder = Effect.flatMap(temporaryFolder, (folder) =>
  Effect.map(make(`${folder}/output`), (log) => ({ log, folder: `${folder}/output` }))
)

const sizeOf = (folder: string): number =>
  Fs.readdirSync(folder, { withFileTypes: true, recursive: true }).reduce(
    (sum, entry) => sum + (entry.isFile() ? Fs.statSync(`${entry.parentPath}/${entry.name}`).size : 0),
    0
  )

describe("the output of a run", () => {
  it.scoped("is kept in order, in a private file, and read whole or by its end", () =>
    Effect.gen(function* () {
      const { log, folder } = yield* onFolder
      assert.deepStrictEqual(yield* texts(log.read(id, null)), [])
      yield* log.append(id, [line("a"), line("b", "stderr")])
      yield* log.append(other, [line("x")])
      yield* log.append(id, [line("c\nd\u2028\u0000 é 🔥")])
      yield* log.append(id, [])
      const all = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read(id, null)))
      assert.deepStrictEqual(all, [line("a"), line("b", "stderr"), line("c\nd\u2028\u0000 é 🔥")])
      assert.deepStrictEqual(yield* texts(log.read(id, 2)), ["b", "c\nd\u2028\u0000 é 🔥"])
      assert.deepStrictEqual(yield* texts(log.read(id, 0)), [])
      assert.strictEqual(Fs.statSync(segmentPath(folder, id, 0)).mode & 0o777, 0o600)
      assert.strictEqual(Fs.statSync(folder).mode & 0o777, 0o700)
      yield* log.remove(id)
      assert.deepStrictEqual(yield* texts(log.read(id, null)), [])
      assert.deepStrictEqual(yield* texts(log.read(other, null)), ["x"])
      yield* log.append(id, [line("again")])
      assert.deepStrictEqual(yield* texts(log.read(id, null)), ["again"])
    })
  )

  it.scoped("keeps the beginning and the newest part of one that is too long, and says what is missing", () =>
    Effect.gen(function* () {
      const { log, folder } = yield* onFolder
      const text = "x".repeat(50_000)
      const total = 300
      for (let n = 0; n < total; n++) yield* log.append(id, [line(`${n} ${text}`)])
      assert.isAtMost(sizeOf(folder), (keptSegments + 1) * segmentBytes)
      assert.isAbove(sizeOf(folder), keptSegments * segmentBytes)
      const numbers = (yield* texts(log.read(id, null))).map((kept) =>
        kept.startsWith("(") ? "gap" : Number(kept.split(" ")[0])
      )
      const gap = numbers.indexOf("gap")
      assert.deepStrictEqual(
        numbers.slice(0, gap),
        Array.from({ length: gap }, (_, n) => n)
      )
      const newest = numbers.slice(gap + 1)
      assert.deepStrictEqual(
        newest,
        Array.from({ length: newest.length }, (_, n) => total - newest.length + n)
      )
      assert.isAbove(gap, 15)
      assert.isAbove(newest.length, 100)
      assert.deepStrictEqual(
        (yield* texts(log.read(id, 3))).map((kept) => Number(kept.split(" ")[0])),
        [297, 298, 299]
      )
      yield* log.remove(id)
      assert.strictEqual(sizeOf(folder), 0)
    })
  )

  it.scoped("goes on after a writer that died in the middle of a line", () =>
    Effect.gen(function* () {
      const { log, folder } = yield* onFolder
      yield* log.append(id, lines(1, 2))
      Fs.appendFileSync(segmentPath(folder, id, 0), '{"t":1,"s":"stdout","x":"half')
      const next = yield* make(folder)
      yield* next.append(id, lines(3, 1))
      assert.deepStrictEqual(yield* texts(next.read(id, null)), ["line 1", "line 2", "line 3"])
    })
  )

  it.scoped("goes on in the last segment when another process takes over", () =>
    Effect.gen(function* () {
      const { log, folder } = yield* onFolder
      yield* log.append(id, [line("x".repeat(200_000)), ...Array.from({ length: 12 }, () => line("y".repeat(200_000)))])
      const before = segmentsOf(folder, id)
      assert.isAbove(before.length, 1)
      const next = yield* make(folder)
      yield* next.append(id, lines(1, 1))
      assert.deepStrictEqual(segmentsOf(folder, id), before)
      assert.deepStrictEqual(yield* texts(next.read(id, 1)), ["line 1"])
    })
  )

  it.live("is followed from now on, or from its end, over segments and without a gap", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { log } = yield* onFolder
        yield* log.append(id, lines(1, 3))
        const fromNow = yield* Effect.fork(texts(Stream.take(log.follow(id), 40)))
        const fromEnd = yield* Effect.fork(texts(Stream.take(log.follow(id, 2), 42)))
        yield* Effect.sleep("150 millis")
        for (let n = 0; n < 40; n++) {
          yield* log.append(id, [line(`${n} ${"x".repeat(60_000)}`)])
          if (n % 10 === 0) yield* Effect.sleep("30 millis")
        }
        const numbered = (all: ReadonlyArray<string>) => all.map((text) => text.slice(0, 6).trim().split(" x")[0])
        const expected = Array.from({ length: 40 }, (_, n) => String(n))
        assert.deepStrictEqual(numbered(yield* Fiber.join(fromNow)), expected)
        assert.deepStrictEqual(numbered(yield* Fiber.join(fromEnd)), ["line 2", "line 3", ...expected])
      })
    )
  )

  it.live("can be followed before there is any", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { log } = yield* onFolder
        const following = yield* Effect.fork(texts(Stream.take(log.follow(id, null), 1)))
        yield* Effect.sleep("50 millis")
        yield* log.append(id, lines(1, 1))
        assert.deepStrictEqual(yield* Fiber.join(following), ["line 1"])
      })
    )
  )

  it.scoped("fails no run when it cannot be written, and more runs than files may be open are no trouble", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      Fs.writeFileSync(`${folder}/output`, "in the way")
      const blocked = yield* make(`${folder}/output`)
      yield* blocked.append(id, lines(1, 1))
      yield* blocked.append(id, lines(2, 1))
      assert.deepStrictEqual(yield* texts(blocked.read(id, null)), [])
      Fs.symlinkSync("/etc/hostname", `${folder}/${id}.ndjson`)
      const laid = yield* make(folder)
      const before = Fs.readFileSync("/etc/hostname", "utf8")
      yield* laid.append(id, lines(1, 1))
      assert.strictEqual(Fs.readFileSync("/etc/hostname", "utf8"), before)
      const { log } = yield* onFolder
      const many = Array.from({ length: 100 }, (_, n) => Ids.CheckpointId.make(`ckpt_${String(n).padStart(12, "0")}`))
      for (let round = 0; round < 2; round++) {
        yield* Effect.forEach(many, (each) => log.append(each, [line(`${round}`)]))
      }
      for (const each of many) assert.deepStrictEqual(yield* texts(log.read(each, null)), ["0", "1"])
    })
  )
})

describe("a line of the file", () => {
  it("comes back as it was, whatever it holds", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: "binary" }), fc.boolean())), (contents) => {
        const written = contents.map(([text, toStderr]) => line(text.toWellFormed(), toStderr ? "stderr" : "stdout"))
        assert.deepStrictEqual(decodeLines(written.map(encodeLine).join("")), written)
      })
    )
  })

  it("is cut where it would push out all others", () => {
    const decoded = decodeLine(encodeLine(line("x".repeat(maxText + 5))))
    assert.strictEqual(decoded?.text.length, maxText + "… (cut)".length)
  })

  it.each(["", "{", "null", "[]", '{"t":1}', '{"t":"1","s":"stdout","x":""}', '{"t":1,"s":"stdin","x":""}'])(
    "%j is none",
    (text) => assert.isNull(decodeLine(text))
  )
})
