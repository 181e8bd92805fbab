import * as fc from "fast-check"
import { expect, it } from "vitest"
import { jsonLine, withoutSecrets } from "./json.js"

it("is one line that a strict parser reads back, without any control character", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
      const line = jsonLine({ value, text })
      expect(line.endsWith("\n")).toBe(true)
      expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      // JSON has no -0 of its own in what JSON.stringify writes: the value is compared as JSON holds it.
      expect(JSON.parse(line)).toEqual({ value: JSON.parse(JSON.stringify(value)), text: text.toWellFormed() })
    })
  )
})

it("redacts places and messages, and leaves names, ids and cursors as they are", () => {
  const redact = (text: string): string => text.replaceAll("secret", "***")
  const document = {
    kind: "x",
    id: "secret-id",
    next_cursor: "secret-cursor",
    workspace: { cwd: "/a/secret", real_path: "/b/secret" },
    facts: { path: "/c/secret" },
    reason: { message: "in /a/secret", detail: null },
    alternatives: [{ argv: ["resume", "--cd", "/a/secret"] }],
    add_dirs: ["/a/secret"]
  }
  expect(withoutSecrets(document, redact)).toEqual({
    kind: "x",
    id: "secret-id",
    next_cursor: "secret-cursor",
    workspace: { cwd: "/a/***", real_path: "/b/***" },
    facts: { path: "/c/***" },
    reason: { message: "in /a/***", detail: null },
    alternatives: [{ argv: ["resume", "--cd", "/a/***"] }],
    add_dirs: ["/a/***"]
  })
})
