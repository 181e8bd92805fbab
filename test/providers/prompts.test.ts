/** Prompts that look like options, files and quotes reach the agent as they are; huge and broken output does no harm. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { declaredOf } from "./declared.js"
import { endOf, lastHeard, ran } from "./runs.js"
import { differs } from "./subject.js"
import { distinct } from "./subjects.js"

const awkward = `"double" 'single' \`tick\` $(touch /tmp/x) \\ %s {prompt} {session}\nsecond line\n\n--flag\n@file\n\ttab é 漢 🌱`
const prompts: Readonly<Record<string, string>> = {
  "--help": "--help",
  "@file": "@notes.txt",
  "-": "-",
  "200 kB": `${awkward}\n${"0123456789abcdef".repeat(12_500)}`
}

/** Linux takes no single argument of 128 KiB or more. */
const longestArgument = 131_072

describe.each(distinct)("$label", (subject) => {
  test("awkward prompts arrive unchanged", async () => {
    const stage = await subject.open()
    const declared = await declaredOf(subject)
    const more = declared.prompt_channel === "argument" ? { quotes: awkward } : {}
    for (const [name, prompt] of Object.entries({ ...prompts, ...more })) {
      const ended = await ran(subject, stage, { do: "finish" }, [], prompt)
      if (declared.prompt_channel === "argument" && Buffer.byteLength(prompt) > longestArgument - 100) {
        expect(ended.code, `${name}: ${describeEnd(ended)}`).toBe(2)
        expect(ended.stderr).toMatch(/too long/)
        continue
      }
      expect(ended.code, `${name}: ${describeEnd(ended)}`).toBe(0)
      const { prompt: arrived } = lastHeard(stage)
      if (arrived !== undefined) expect(arrived, differs(subject, declared, `the prompt ${name} arrives`)).toBe(prompt)
    }
  })

  test.skipIf(subject.without.includes("babble"))("what is no event, or is huge, is passed over", async () => {
    const stage = await subject.open()
    const ended = await ran(subject, stage, { do: "babble" })
    expect(ended.code, describeEnd(ended)).toBe(0)
    const checkpoint = await endOf(stage, ended)
    expect(checkpoint).toMatchObject({ state: "completed", position: { messages: 2 } })
  })
})
