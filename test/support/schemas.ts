/** The committed JSON Schemas, and documents held against them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Ajv, type ValidateFunction } from "ajv"
import { expect } from "vitest"
import type { Document } from "./documents.js"

const folder = fileURLToPath(new URL("../../docs/schemas", import.meta.url))
/** The committed schemas by the kind that they describe. */
export const schemas: ReadonlyMap<string, object> = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [
      name.replace(/\.schema\.json$|\.json$/, ""),
      JSON.parse(readFileSync(join(folder, name), "utf8")) as object
    ])
)
const ajv = new Ajv({ strict: false, allErrors: true })
const validators = new Map<string, ValidateFunction>()

const validator = (kind: string): ValidateFunction => {
  const made = validators.get(kind)
  if (made !== undefined) return made
  const schema = schemas.get(kind)
  if (schema === undefined)
    throw new Error(`no schema for kind "${kind}" in docs/schemas (there are: ${[...schemas.keys()].join(", ")})`)
  const compiled = ajv.compile(schema)
  validators.set(kind, compiled)
  return compiled
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** What holds for every document whatever its kind: snake_case names, no undefined, times in ISO with milliseconds. */
const expectConventions = (value: unknown, path: string): void => {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) expectConventions(one, `${path}[${index}]`)
  } else if (typeof value === "object" && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      if (!/labels|config|paths/.test(path)) expect(name, path).toMatch(/^[a-z0-9_]+$/)
      if (/(_at|^timestamp)$/.test(name) && one !== null) expect(one, `${path}.${name}`).toMatch(isoTime)
      expectConventions(one, `${path}.${name}`)
    }
  }
}

/** Holds a document to the schema of its kind and to what holds for every kind. */
export const expectValid = (document: Document): void => {
  const validate = validator(document.kind)
  expect(
    validate(document) ? [] : validate.errors,
    `${document.kind} ${JSON.stringify(document).slice(0, 600)}`
  ).toEqual([])
  expectConventions(document, document.kind)
}
