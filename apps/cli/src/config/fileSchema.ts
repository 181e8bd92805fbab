/** The JSON Schema of a configuration file, made from the table of settings and from what reads the providers of one's own. */
import { Schemas } from "@alluka/core"
import { Configured } from "@alluka/providers"
import { durationPattern } from "../arguments/duration.js"
import { type SettingSpec, settings, writtenValue } from "./settings.js"

/** What `alluka schema` and the file in `docs/schemas` are called. */
export const fileSchemaName = "config_file"

type Json = Schemas.JsonSchema

/** A closed object. */
const object = (
  properties: Readonly<Record<string, Json>>,
  patternProperties: Readonly<Record<string, Json>> = {}
) => ({
  type: "object",
  properties,
  ...(Object.keys(patternProperties).length === 0 ? {} : { patternProperties }),
  additionalProperties: false
})

/** What a setting can be set to. `null` is the default, as if it were not there. */
const valueSchema = ({ choices, kind }: SettingSpec): Json => {
  if (choices !== undefined) return { enum: [...choices, null] }
  switch (kind) {
    case "text":
      return { type: ["string", "null"], minLength: 1 }
    case "flag":
      return { type: ["boolean", "null"] }
    case "count":
      return { type: ["integer", "null"], minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
    case "permission":
      return { enum: ["read", "edit", "full", null] }
    case "argv":
      return { type: ["array", "null"], items: { type: "string" }, minItems: 1 }
    case "duration":
    case "positive_duration":
      return { type: ["string", "null"], pattern: durationPattern(kind === "positive_duration") }
  }
}

const settingSchema = (spec: SettingSpec): Json => ({
  description: spec.help,
  ...valueSchema(spec),
  ...(spec.default === null ? {} : { default: writtenValue(spec, spec.default) })
})

/** Of each group the schemas of its settings. */
const groups = (): ReadonlyMap<string, Readonly<Record<string, Json>>> => {
  const found = new Map<string, Record<string, Json>>()
  for (const spec of settings) {
    const [group = "", name = "", ...more] = spec.key.split(".")
    if (more.length === 0) found.set(group, { ...found.get(group), [name]: settingSchema(spec) })
  }
  return found
}

/** What may stand at `providers.NAME`: about one of Alluka's own, or (with a type) a provider of one's own. */
const providerSchemas = (): { readonly builtIn: Json; readonly named: Json } => {
  const spec = settings.find(({ key }) => key === "providers.*.command")
  const builtIn = object(spec === undefined ? {} : { command: settingSchema(spec) })
  return {
    builtIn,
    named: {
      if: { type: "object", properties: { type: {} }, required: ["type"] },
      // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
      then: Schemas.closedJsonSchema(Configured.ProviderConfig),
      else: object({})
    }
  }
}

export const fileSchema = (): Json => {
  const definitions = providerSchemas()
  const own = Configured.ownIds.join("|")
  const nested = [...groups()]
  /** `{"run": {"provider": "x"}}` and `{"run.provider": "x"}` are the same. */
  const dotted = nested.flatMap(([group, members]) =>
    Object.keys(members).map((name) => [`${group}.${name}`, { $ref: `#/properties/${group}/properties/${name}` }])
  )
  const command = { $ref: "#/definitions/builtIn/properties/command" }
  const providers = (prefix: string): Readonly<Record<string, Json>> => ({
    [`^${prefix}(?:${own})$`]: { $ref: "#/definitions/builtIn" },
    [`^${prefix}(?!(?:${own})$)[a-z][a-z0-9-]{0,31}$`]: { $ref: "#/definitions/named" },
    [`^${prefix}(?:${own})\\.command$`]: command
  })
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: fileSchemaName,
    description: "A configuration of Alluka: the user's own, or a project's .alluka/config.json",
    ...object(
      {
        $schema: { type: "string", description: "Where this schema is, for editors" },
        ...Object.fromEntries(nested.map(([group, members]) => [group, object(members)])),
        providers: { description: "By the provider's name", ...object({}, providers("")) },
        ...Object.fromEntries(dotted)
      },
      providers("providers\\.")
    ),
    definitions
  }
}
