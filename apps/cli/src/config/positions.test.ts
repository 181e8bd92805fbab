import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import { duplicatesIn, positionOf, syntaxFault } from "./positions.js"

const at = ({ column, line }: { readonly line: number; readonly column: number }) => `${line}:${column}`

describe("why a text is no JSON, and where", () => {
  test.each([
    ["", "1:1", /empty/],
    [" \r\n ", "1:1", /empty/],
    ["{", "1:2", /ends too early/],
    ['{"run": {"provider": "claude"}', "1:31", /ends too early/],
    ['{"run": {\n  "provider": "clau\n}}', "2:15", /not closed/],
    ['{\n  "a": 1,\n}', "3:1", /a comma before this "}"/],
    ['{"a": [1,\n2,]}', "2:3", /a comma before this "]"/],
    ['{\r\n  "a": 1\r\n  "b": 2\r\n}', "3:3", /"," is expected/],
    ['{\r  "a" 1\r}', "2:7", /":" is expected/],
    ["{'a': 1}", "1:2", /double quotes/],
    ["{a: 1}", "1:2", /double quotes/],
    ['{"a": yes}', "1:7", /double quotes; other words/],
    ['{"a": 1} {', "1:10", /after the end/],
    ['{\n  // mine\n  "a": 1\n}', "2:3", /no comments/],
    ['{"a": 1 /* x */}', "1:9", /no comments/],
    ['{"path": "C:\\Users"}', "1:10", /written twice/],
    ['{"a": "\\u12"}', "1:7", /four digits/],
    ['{"a": "x\ty"}', "1:7", /tab/],
    ['{"a": "日本", "👍": x}', "1:19", /double quotes; other words/],
    ["{\u0000}", "1:1", /UTF-8/],
    ["\ufffd\ufffd{\u0000}\u0000", "1:1", /UTF-8/]
  ])("%j: %s", (text, place, why) => {
    expect(() => JSON.parse(text)).toThrow()
    const fault = syntaxFault(text)
    expect([at(fault), fault.message]).toEqual([place, expect.stringMatching(why)])
  })

  it("is told of every text that is none, with a place inside it", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: fc.constantFrom(...'{}[]:,"\\tfn01.e- \n\r/*', "é", "\u0000", "\ufeff") }),
          fc.tuple(fc.json(), fc.nat(), fc.nat({ max: 3 })).map(([text, place, length]) => {
            const from = place % (text.length + 1)
            return text.slice(0, from) + text.slice(from + length)
          })
        ),
        (text) => {
          try {
            JSON.parse(text)
            return
          } catch {
            const { column, line, message } = syntaxFault(text)
            const lines = text.split(/\r\n|\n|\r/)
            expect(message).not.toBe("")
            expect(line).toBeLessThanOrEqual(lines.length)
            expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1)
          }
        }
      )
    )
  })
})

describe("where something stands", () => {
  const text =
    '{\r\n  "run": {"provider": "old"},\n  "run": {\n    "agent": "a",\n    "provider": 5\n  },\n  "list": [1, {"x": 2}]\n}'

  test.each([
    [["run", "provider"], "value", "5:17"],
    [["run", "provider"], "name", "5:5"],
    [["run"], "name", "3:3"],
    [["run"], "value", "3:10"],
    [["list", 1, "x"], "value", "7:21"],
    [["list", 1], "value", "7:15"],
    [["run", "missing"], "value", "3:3"],
    [["nothing", "at", "all"], "name", "1:1"],
    [["list", 7], "value", "7:3"],
    [[], "value", "1:1"]
  ] as const)("%j, its %s: %s", (keys, about, place) => {
    expect(at(positionOf(text, keys, about) ?? { line: 0, column: 0 })).toBe(place)
  })

  it("is not known where no parser gets to", () => {
    expect(at(syntaxFault("[".repeat(200_000)))).toBe("1:1")
    expect(positionOf(`${"[".repeat(200_000)}${"]".repeat(200_000)}`, [0, 0], "value")).toBeNull()
  })

  it("is the name itself, for every name of every object, however the file is laid out", () => {
    const names = fc.oneof(fc.string(), fc.constantFrom("a", "run", "__proto__", "constructor", 'q"\\', "\u2028"))
    const json = fc.letrec<{ readonly value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
        fc.dictionary(names, tie("value"), { noNullPrototype: true }),
        fc.array(tie("value"), { maxLength: 3 })
      )
    })).value
    fc.assert(
      fc.property(
        json,
        fc.constantFrom(undefined, 1, 2, "\t"),
        fc.constantFrom("\n", "\r\n", "\r"),
        (value, indent, end) => {
          const laidOut = JSON.stringify(value, null, indent).replaceAll("\n", end)
          const offsetOf = (keys: ReadonlyArray<string | number>, about: "name" | "value"): string => {
            const { column, line } = positionOf(laidOut, keys, about) ?? { line: 0, column: 0 }
            const before = laidOut.split(end).slice(0, line - 1)
            const offset = before.reduce((sum, each) => sum + each.length + end.length, column - 1)
            return laidOut.slice(offset)
          }
          const look = (each: unknown, keys: ReadonlyArray<string | number>): void => {
            if (typeof each !== "object" || each === null) {
              expect(offsetOf(keys, "value").startsWith(JSON.stringify(each))).toBe(true)
              return
            }
            for (const [name, inner] of Object.entries(each)) {
              const key = Array.isArray(each) ? Number(name) : name
              if (typeof key === "string") {
                expect(offsetOf([...keys, key], "name").startsWith(JSON.stringify(key))).toBe(true)
              }
              look(inner, [...keys, key])
            }
          }
          look(JSON.parse(laidOut), [])
        }
      )
    )
  })
})

test("names that stand twice in an object are found, each where it does not count", () => {
  const text = '{"a": 1, "b": {"x": 1, "y": 2,\n"x": 3},\n"a": 2, "a": 3, "c": [{"a": 1}, {"a": 1}]}'
  expect(duplicatesIn(text).map(({ countsInLine, name, ...place }) => [name, at(place), countsInLine])).toEqual([
    ["a", "1:2", 3],
    ["x", "1:16", 2],
    ["a", "3:1", 3]
  ])
  expect(duplicatesIn("{}")).toEqual([])
})
