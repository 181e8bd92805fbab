/**
 * What a provider can and cannot continue, as data: printed by `providers list`, used by the decision, and held against
 * the real program by the tests.
 */
import { Permission } from "../checkpoint/state.js"
import * as Schema from "../Schema.js"

export const Kept = Schema.Literal("kept", "must_be_passed", "fixed", "not_supported")
export type Kept = typeof Kept.Type

export const Capabilities = Schema.Struct({
  /** Who holds the conversation: the provider, we ourselves, or nobody (a resume always starts fresh). */
  continuation: Schema.Literal("provider_session", "host_transcript", "none"),
  idAssignment: Schema.Literal("caller", "provider"),
  /** From when on the provider session's id is known to us. */
  idKnown: Schema.Literal("before_spawn", "first_event", "end_only"),
  /** Whether the provider can copy a conversation under a new id. */
  fork: Schema.Boolean,
  modelOnResume: Kept,
  thinkingOnResume: Kept,
  permissionOnResume: Kept,
  /** Empty: the provider has no such setting. */
  thinkingLevels: Schema.Array(Schema.String),
  /** The provider's own word for each of our permissions; `null` where it has none. */
  permissions: Schema.Record({ key: Permission, value: Schema.NullOr(Schema.String) }),
  /** The session can be continued only from the folder it began in. */
  cwdBound: Schema.Boolean,
  /** The provider itself refuses a second writer of the same session. */
  concurrentGuard: Schema.Boolean,
  /** Processes of the provider (or of its tools) go on when the provider is killed. */
  survivesKill: Schema.Boolean,
  promptChannel: Schema.Literal("stdin", "argument"),
  reportsModel: Schema.Boolean,
  /** Changing the model across families rewrites the history. */
  modelChangeCompacts: Schema.Boolean,
  /** A conversation can be taken over in the program's own screen. */
  screen: Schema.Boolean,
  /** Program and version that these facts were observed on. */
  verifiedWith: Schema.String
})
export type Capabilities = typeof Capabilities.Type
