import { describe, expect, it } from "vitest"
import { sameModel } from "./sameModel.js"

describe("sameModel", () => {
  it.each([
    ["opus", "claude-opus-5-5"],
    ["claude-opus-5-5[1m]", "claude-opus-5-5"],
    ["M-1[1m]", "M-1"],
    ["openai/gpt-6-sol", "gpt-6-sol"],
    ["Sonnet", "claude-sonnet-5-5"]
  ])("%s is reported as %s", (requested, actual) => expect(sameModel(requested, actual)).toBe(true))

  it.each([
    ["M-1[1m]", "M-2"],
    ["opus", "claude-sonnet-5-5"],
    ["gpt-6", "gpt-60"],
    ["gpt-6-sol", "gpt-6-luna"]
  ])("%s is not %s", (requested, actual) => expect(sameModel(requested, actual)).toBe(false))
})
