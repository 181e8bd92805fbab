/** Providers by configuration: a program that prints lines, an agent that speaks ACP, or a server with chat completions. */
import * as Schema from "@alluka/core/Schema"
import * as Either from "effect/Either"
import { AcpConfig } from "../acp/config.js"
import { ApiConfig } from "../api/config.js"
import { uuidFor } from "../sessionIds.js"
import { type Part, placesIn } from "./template.js"

const Text = Schema.NonEmptyString
const Word = Schema.NullOr(Text)

const compiles = (source: string): boolean => {
  try {
    return new RegExp(source) !== null
  } catch {
    return false
  }
}

/** A regular expression, as JavaScript has them. */
const Pattern = Text.pipe(
  Schema.filter((source) => compiles(source) || "is not a regular expression", { jsonSchema: { format: "regex" } })
)

/** Arguments; those in a list of their own are left out together where a value of theirs is not given. */
const Template = Schema.NonEmptyArray(Schema.Union(Schema.String, Schema.NonEmptyArray(Schema.String)))

/** Which objects of the output are meant: those that hold these values at these paths (`a.b.0`). */
const When = Schema.Record({ key: Text, value: Schema.Union(Schema.String, Schema.Number, Schema.Boolean) })

const Found = Schema.Struct({ when: Schema.optionalWith(When, { default: () => ({}) }), path: Text })
export type Found = typeof Found.Type

const JsonOutput = Schema.Struct({
  format: Schema.Literal("json"),
  /** Where the program names its session. */
  session: Schema.optional(Found),
  /** Where it names the model that it uses. */
  model: Schema.optional(Found),
  /** A message of the model, whole. */
  message: Schema.optional(Found),
  /** The program's own word that it is done. Without it, no run is completed. */
  end: Schema.Struct({ when: When, path: Schema.optional(Text) }),
  /** The program's own word that it failed. */
  error: Schema.optional(Found)
})

/**
 * Plain text has no word for success, so it has to be said that exit code 0 is one. Even then it must have printed
 * something, and nothing that one of the `answers` recognises.
 */
const TextOutput = Schema.Struct({ format: Schema.Literal("text"), success: Schema.Literal("exit_zero") })

const Patterns = Schema.optionalWith(Schema.Array(Pattern), { default: () => [] })

/** What the program says on stderr, or as its error, when it refuses; the first list that matches decides. */
const Answers = Schema.Struct({
  /** The session asked for is not there. */
  noSuchSession: Patterns.pipe(Schema.fromKey("no_such_session")),
  /** What was asked for is no session. */
  invalidSession: Patterns.pipe(Schema.fromKey("invalid_session")),
  usageLimit: Patterns.pipe(Schema.fromKey("usage_limit")),
  auth: Patterns,
  model: Patterns
})

const noAnswers = { noSuchSession: [], invalidSession: [], usageLimit: [], auth: [], model: [] }

const Session = Schema.Struct({
  /** `caller`: Alluka chooses a UUID and passes it. */
  assignedBy: Schema.Literal("caller", "provider").pipe(Schema.propertySignature, Schema.fromKey("assigned_by")),
  /** What an id looks like, whole; nothing else is ever passed on or believed. */
  pattern: Pattern
})

const Command = Schema.Struct({
  type: Schema.Literal("command"),
  title: Schema.optional(Text),
  install: Schema.optional(Text),
  /** How a new conversation is started: the program and its arguments, with {prompt} {session} {model} {thinking} {permission} {cwd}. */
  command: Template,
  /** How one is continued. Without it the program cannot continue, and says so. */
  resume: Schema.optional(Template),
  prompt: Schema.Literal("stdin", "argument"),
  session: Schema.optional(Session),
  output: Schema.Union(JsonOutput, TextOutput),
  answers: Schema.optionalWith(Answers, { default: () => noAnswers }),
  /** The word for {permission}; `null`: the program cannot be held to it. */
  permissions: Schema.Struct({ read: Word, edit: Word, full: Word }),
  thinking: Schema.optionalWith(Schema.Array(Text), { default: () => [] }),
  cwdBound: Schema.optionalWith(Schema.Boolean, { default: () => false }).pipe(Schema.fromKey("cwd_bound"))
})

/** Why a command cannot be used as it stands. */
const faultsOf = (config: typeof Command.Type): ReadonlyArray<string> => {
  const { command, output, prompt, resume, session, thinking } = config
  const start = placesIn(command)
  const again = resume === undefined ? null : placesIn(resume)
  const first = (template: ReadonlyArray<Part>): boolean =>
    typeof template[0] === "string" && template[0] !== "" && placesIn([template[0]]).size === 0
  const faults: ReadonlyArray<readonly [boolean, string]> = [
    [
      !first(command) || (resume !== undefined && !first(resume)),
      "a command begins with the program, which is not a place"
    ],
    [
      prompt === "argument" && (!start.has("prompt") || again?.has("prompt") === false),
      "the prompt goes by argument, so every command must have {prompt}"
    ],
    [
      prompt === "stdin" && (start.has("prompt") || again?.has("prompt") === true),
      "the prompt goes by stdin, so no command may have {prompt}"
    ],
    [again?.has("session") === false, "resume must have {session}: a program is never told to continue the latest"],
    [resume !== undefined && session === undefined, "resume needs `session`: who names it, and what its ids look like"],
    [
      session?.assignedBy === "caller" && !start.has("session"),
      "a session that Alluka names must be in command as {session}"
    ],
    [
      session?.assignedBy !== "caller" && start.has("session"),
      "command has {session}, but the session is not named by Alluka"
    ],
    [
      session?.assignedBy === "provider" && (output.format !== "json" || output.session === undefined),
      "a session that the program names must be read from its output: output.session"
    ],
    [
      session?.assignedBy === "caller" && !new RegExp(`^(?:${session.pattern})$`).test(uuidFor("")),
      "a session that Alluka names is a UUID, which the pattern does not allow"
    ],
    [thinking.length > 0 && !start.has("thinking"), "there are thinking levels, but no {thinking} in command"]
  ]
  return faults.flatMap(([applies, words]) => (applies ? [words] : []))
}

/** A program that is started for each run and prints lines. */
export const CommandConfig = Command.pipe(
  // What its parts must be to each other is beyond what a JSON Schema can say.
  Schema.filter((config) => faultsOf(config).join("; ") || true, { jsonSchema: {} })
)
export type CommandConfig = typeof CommandConfig.Type

export const ProviderConfig = Schema.Union(CommandConfig, AcpConfig, ApiConfig)
export type ProviderConfig = typeof ProviderConfig.Type

/** The ids of the providers that Alluka has of its own; a configured one needs another. */
export const ownIds: ReadonlyArray<string> = [
  ...["claude", "codex", "opencode", "gemini", "pi", "kimi", "demo"],
  ...["claude-acp", "codex-acp", "qwen", "copilot"]
]

const isOwnName = (id: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(id) && !ownIds.includes(id)

/** The configured providers by their ids. */
export const ProviderConfigs = Schema.Record({ key: Schema.String, value: ProviderConfig })
  .annotations({ identifier: "an object with a provider for each name" })
  .pipe(
    Schema.filter((configs) =>
      Object.keys(configs)
        .filter((id) => !isOwnName(id))
        .map((id) => ({
          path: [id],
          message:
            "is no name for a provider: it must be lower-case letters, digits and dashes, and not a name that Alluka uses itself"
        }))
    )
  )
export type ProviderConfigs = typeof ProviderConfigs.Type

const decode = Schema.decodeUnknownEither(ProviderConfigs, { errors: "all", onExcessProperty: "error" })

/** What is wrong in the configuration of providers. */
export interface ProviderFault {
  /** The names and indexes that lead to it, the provider's own first. */
  readonly keys: ReadonlyArray<string | number>
  /** `unknown`: a name that means nothing there; `missing`: one that must be there; `value`: anything else. */
  readonly kind: "unknown" | "missing" | "value"
  readonly message: string
  /** The names that are known, where one is not. */
  readonly known: ReadonlyArray<string>
}

/** Reads the providers of a configuration; a key that nobody knows is a fault, since a typing error would be one. */
export const readProviders = (json: unknown): Either.Either<ProviderConfigs, ReadonlyArray<ProviderFault>> =>
  Either.mapLeft(decode(json), (error) =>
    Schema.ArrayFormatter.formatErrorSync(error).map(({ _tag, message, path }) => ({
      keys: path.map((key) => (typeof key === "number" ? key : String(key))),
      kind: _tag === "Unexpected" ? "unknown" : _tag === "Missing" ? "missing" : "value",
      message,
      known: _tag === "Unexpected" ? [...message.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name) : []
    }))
  )
