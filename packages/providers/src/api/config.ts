/** A server with OpenAI's chat completions, by configuration. */
import * as Schema from "@alluka/core/Schema"

const isServer = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { password, protocol, username } = new URL(text)
  return (protocol === "http:" || protocol === "https:") && username === "" && password === ""
}

export const ApiConfig = Schema.Struct({
  type: Schema.Literal("api"),
  title: Schema.optional(Schema.NonEmptyString),
  /** Up to `/chat/completions`, such as `http://127.0.0.1:11434/v1`. A key never stands in it. */
  baseUrl: Schema.String.pipe(
    Schema.filter((text) => isServer(text) || "must be an http or https address without a name or password in it", {
      jsonSchema: { format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]?:" }
    })
  ).pipe(Schema.propertySignature, Schema.fromKey("base_url")),
  /** The model where a run names none. */
  model: Schema.optionalWith(Schema.NullOr(Schema.NonEmptyString), { default: () => null }),
  /**
   * The environment variable that holds the key. Left out: OPENAI_API_KEY for OpenAI's own server, and no key for any
   * other, so that nobody's key is sent where it was not meant to go.
   */
  keyVariable: Schema.optionalWith(Schema.NullOr(Schema.String.pipe(Schema.pattern(/^[A-Za-z_][A-Za-z0-9_]*$/))), {
    default: () => null
  }).pipe(Schema.fromKey("key_variable")),
  /** The values of `reasoning_effort` that the server takes. */
  thinking: Schema.optionalWith(Schema.Array(Schema.NonEmptyString), {
    default: () => ["minimal", "low", "medium", "high"]
  }),
  /** Sent before every conversation, as the `system` message. */
  instructions: Schema.optionalWith(Schema.NullOr(Schema.NonEmptyString), { default: () => null })
})
export type ApiConfig = typeof ApiConfig.Type

/** The variable that holds the key of a server; `null`: it gets none. */
export const keyVariableOf = ({ baseUrl, keyVariable }: Pick<ApiConfig, "baseUrl" | "keyVariable">): string | null =>
  keyVariable ?? (new URL(baseUrl).hostname === "api.openai.com" ? "OPENAI_API_KEY" : null)
