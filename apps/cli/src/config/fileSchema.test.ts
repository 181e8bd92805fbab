/** The schema of the file against what reads the file: both take and refuse the same. */
import { readdirSync, readFileSync } from "node:fs"
import { Schemas } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import { Configured } from "@alluka/providers"
import { Ajv } from "ajv"
import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import { durationPattern, parseDuration } from "../arguments/duration.js"
import { describedProviders } from "../describedProviders.js"
import { invalidConfigs, validConfigs } from "../testing/configs.js"
import { fileSchema } from "./fileSchema.js"
import { merge } from "./merge.js"
import { isFault, readValue, settings, writtenValue } from "./settings.js"

const validate = new Ajv({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(fileSchema())

const faultsOf = (json: unknown): ReadonlyArray<string> => {
  const config = merge([{ kind: "user", path: "/c.json", text: JSON.stringify(json), json }], {})
  return [...config.faults, ...describedProviders(config).faults].map(({ message }) => message)
}

test.each(validConfigs)("%s is valid", (text) => {
  const json = JSON.parse(text)
  expect(validate(json) ? [] : validate.errors).toEqual([])
  expect(faultsOf(json)).toEqual([])
})

test.each(invalidConfigs.filter(({ shape }) => shape))("$text is not", ({ text }) => {
  expect(validate(JSON.parse(text))).toBe(false)
})

test.each([
  { providers: { mine: { type: "api" } } },
  { providers: { mine: { type: "api", base_url: "ftp://x" } } },
  { providers: { mine: { type: "api", base_url: "http://x", base_ulr: "http://x" } } },
  { providers: { mine: { type: "other" } } },
  { providers: { mine: { type: "acp", command: [] } } },
  { providers: { claude: { type: "acp", command: ["x"] } } },
  { providers: { "A b": { type: "acp", command: ["x"] } } },
  { "providers.claude": { type: "acp", command: ["x"] } },
  { providers: { mine: 5 } },
  { providers: { claud: { command: "x" } } },
  { "providers.claud.command": "x" }
])("%j describes no provider that can be used", (json) => {
  expect(validate(json)).toBe(false)
  expect(faultsOf(json)).not.toEqual([])
})

describe("each setting", () => {
  const values = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      "",
      "0",
      "5m",
      "0s",
      "1h30m",
      "1.5D",
      " 7d ",
      "read",
      "ask",
      "refuse",
      0,
      1,
      3,
      1.5
    ),
    fc.jsonValue(),
    fc.array(fc.string(), { maxLength: 2 }),
    fc.string({ unit: fc.constantFrom(..."0123.msMShdw ") })
  )

  it.each(settings)("$key takes what the schema takes, in both ways of writing it", (spec) => {
    const key = spec.key.replace("*", "claude")
    const nest = (value: unknown) => key.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
    fc.assert(
      fc.property(values, (value) => {
        const json = JSON.parse(JSON.stringify(value))
        const right = !isFault(readValue(spec, key, json))
        expect([validate(nest(json)), validate({ [key]: json })]).toEqual([right, right])
      })
    )
  })

  it.each(settings)("$key has a default that the file may hold", (spec) => {
    const key = spec.key.replace("*", "claude")
    expect(validate({ [key]: writtenValue(spec, spec.default) })).toBe(true)
  })
})

test("a duration fits its pattern when it is one", () => {
  const [all, positive] = [false, true].map((above) => new RegExp(durationPattern(above)))
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."0015.msMShdw ") }),
    fc
      .array(fc.tuple(fc.constantFrom("0", "1", "20", "1.5", "007"), fc.constantFrom("ms", "s", "M", "h", "D", "w")))
      .map((parts) => parts.flat().join(""))
  )
  fc.assert(
    fc.property(text, (written) => {
      const ms = parseDuration(written)
      // What is nearly nothing is rounded to it, and what is too long for a number is none: beyond a pattern.
      fc.pre(ms !== null || !/\d{10}/.test(written))
      fc.pre(ms !== 0 || !/[1-9]/.test(written))
      expect([all?.test(written), positive?.test(written)]).toEqual([ms !== null, ms !== null && ms > 0])
    })
  )
})

test("whatever describes a provider is valid", () => {
  const described = Schema.Arbitrary.make(Schema.encodedSchema(Configured.ProviderConfig))
  const check = Schema.FastCheck
  check.assert(
    check.property(described, (provider) => {
      const json = { providers: { mine: JSON.parse(JSON.stringify(provider)) } }
      if (faultsOf(json).length === 0) expect(validate(json) ? [] : validate.errors).toEqual([])
    })
  )
})

test("every configuration in the documentation is right", () => {
  const root = new URL("../../../../", import.meta.url)
  const pages = [
    "README.md",
    ...readdirSync(new URL("docs", root)).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : []))
  ]
  const shown = pages.flatMap((page) =>
    [...readFileSync(new URL(page, root), "utf8").matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => ({
      page,
      json: JSON.parse(text) as object
    }))
  )
  // What has a kind is a document of the program's own.
  const files = shown.filter(({ json }) => !("kind" in json))
  expect(files.map(({ page }) => page)).toEqual(expect.arrayContaining(["docs/configuration.md", "docs/providers.md"]))
  for (const { json, page } of files) {
    expect(validate(json) ? [] : validate.errors, page).toEqual([])
    expect(faultsOf(json), page).toEqual([])
  }
})

test("it is no kind of document", () => {
  expect(Schemas.kinds).not.toContain("config_file")
})
