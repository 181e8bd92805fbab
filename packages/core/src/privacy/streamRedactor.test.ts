import { describe, expect, test } from "@effect/vitest"
import fc from "fast-check"
import { makeRedact } from "./redact.js"
import { redactArguments } from "./redactArguments.js"
import { makeLineRedactor, makeStreamRedactor } from "./streamRedactor.js"

const redact = makeRedact([{ value: "plainwordsonly.but-a-token", label: "MY_SERVICE_TOKEN", word: false }])
const body = "aB3cD4eF5gH6jK7mN8pQ9rS2tUvWxYz0"
const key = `ghp_${body}`
const pem = [
  `-----BEGIN ${"PRIVATE"} KEY-----`,
  body + body,
  body.repeat(2),
  `${body}==`,
  `-----END ${"PRIVATE"} KEY-----`
].join("\n")

const through = (chunks: ReadonlyArray<string>): string => {
  const stream = makeStreamRedactor(redact)
  return chunks.map(stream.push).join("") + stream.flush()
}

const cutAt = (text: string, cuts: ReadonlyArray<number>): ReadonlyArray<string> => {
  const places = [0, ...[...cuts].sort((a, b) => a - b).map((cut) => cut % (text.length + 1)), text.length].sort(
    (a, b) => a - b
  )
  return places.slice(1).map((place, index) => text.slice(places[index], place))
}

describe("makeStreamRedactor", () => {
  test("finds a secret split at any place", () => {
    const text = `before ${key} after plainwordsonly.but-a-token\n`
    for (let cut = 0; cut <= text.length; cut++) {
      expect(through([text.slice(0, cut), text.slice(cut)])).toBe(
        "before [redacted:github-token] after [redacted:MY_SERVICE_TOKEN]\n"
      )
    }
  })

  test("finds a secret that comes character by character", () => {
    expect(through([...`a ${key} b`])).toBe("a [redacted:github-token] b")
  })

  test("finds a private key that comes line by line, split anywhere", () => {
    const text = `x\n${pem}\ny\n`
    for (let cut = 0; cut <= text.length; cut++) {
      expect(through([text.slice(0, cut), text.slice(cut)])).toBe("x\n[redacted:private-key]\ny\n")
    }
  })

  test("a private key without an end does not swallow the text after it", () => {
    expect(through([`${pem.split("\n").slice(0, 3).join("\n")}\nError: it failed.\n`])).toBe(
      "[redacted:private-key]\nError: it failed.\n"
    )
  })

  test("lets whole lines go at once, and can be used again", () => {
    const stream = makeStreamRedactor(redact)
    expect(stream.push("one\ntw")).toBe("one\n")
    expect(stream.push("o\n")).toBe("two\n")
    expect(stream.push("rest")).toBe("")
    expect(stream.flush()).toBe("rest")
    expect(stream.push("again\n")).toBe("again\n")
  })

  test("holds a bounded part of an endless line, and finds secrets at every place of it", () => {
    const word = "some words "
    const endless = word.repeat(20_000)
    for (const place of [60_000, 61_400, 65_530, 65_536, 70_000, 130_000]) {
      const text = `${endless.slice(0, place)} ${key} ${endless.slice(place)}`
      const stream = makeStreamRedactor(redact)
      let out = ""
      for (let index = 0; index < text.length; index += 5_000) {
        out += stream.push(text.slice(index, index + 5_000))
        expect(index + 5_000 - out.length).toBeLessThan(80_000)
      }
      out += stream.flush()
      expect(out).toBe(text.replace(key, "[redacted:github-token]"))
    }
  })

  test("drops the rest of a secret that is longer than what can be held", () => {
    const text = `ghp_${body.repeat(10_000)} end`
    const out = through(cutAt(text, [1000, 100_000, 200_000]))
    expect(out).not.toContain(body)
    expect(out).toMatch(/^\[redacted:github-token\].* end$/)
  })

  test("gives what redacting the whole gives, however it is cut", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        key,
        pem,
        `password=${body}`,
        "plainwordsonly.but-a-token",
        "\n",
        "plain words",
        `{"token":"${body}"}`,
        "\u001b[31m"
      ),
      fc.string({ maxLength: 10 })
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), fc.array(fc.nat(2000), { maxLength: 6 }), (parts, cuts) => {
        const text = `${parts.join("\n")}\n`
        expect(through(cutAt(text, cuts))).toBe(redact(text))
      }),
      { numRuns: 1000 }
    )
  })
})

describe("makeLineRedactor", () => {
  test("names a private key once, and nothing of it is left", () => {
    const line = makeLineRedactor(redact)
    expect(["a", ...pem.split("\n"), "b"].map(line)).toEqual([
      "a",
      "[redacted:private-key]",
      null,
      null,
      null,
      null,
      "b"
    ])
  })
})

describe("redactArguments", () => {
  test("sees a flag and its value together", () => {
    expect(redactArguments(["--api-key", body, "-v", `--token=${body}`, "plain"], redact)).toEqual([
      "--api-key",
      "[redacted:secret]",
      "-v",
      "--token=[redacted:secret]",
      "plain"
    ])
    expect(redactArguments(["--password", "hunter", "--password-file", "/x/y"], redact)).toEqual([
      "--password",
      "[redacted:password]",
      "--password-file",
      "/x/y"
    ])
  })

  test("as many come out as go in", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom("--token", key, pem, '"', "\\", pem.slice(0, 80)))),
        (args) => {
          const clean = redactArguments(args, redact)
          expect(clean.length).toBe(args.length)
          expect(clean.join(" ")).not.toContain(body)
        }
      )
    )
  })
})
