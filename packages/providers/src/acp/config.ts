/** An agent that speaks the protocol, by configuration. */
import * as Schema from "@alluka/core/Schema"
import { type AcpAgent, common, isPlainId } from "./agents.js"

/**
 * What a permission means to an agent: the mode that is set for it, or `ask`: no mode is set, and the agent's questions are
 * answered by the permission. `null`: the agent cannot be held to it.
 */
const Word = Schema.NullOr(Schema.NonEmptyString)

export const AcpConfig = Schema.Struct({
  type: Schema.Literal("acp"),
  title: Schema.optional(Schema.NonEmptyString),
  install: Schema.optional(Schema.NonEmptyString),
  /** The program, a name or a path, and its arguments; run without a shell. */
  command: Schema.NonEmptyArray(Schema.NonEmptyString),
  /** An agent that asks nothing cannot be held to `read`: it must be told a mode for it. */
  permissions: Schema.optionalWith(Schema.Struct({ read: Word, edit: Word, full: Word }), {
    default: () => ({ read: null, edit: "ask", full: "ask" })
  }),
  /** The thinking levels that may be asked for. */
  thinking: Schema.optionalWith(Schema.Array(Schema.NonEmptyString), { default: () => [] }),
  /** Whether a session can be continued only from the folder that it began in. */
  cwdBound: Schema.optionalWith(Schema.Boolean, { default: () => false }).pipe(Schema.fromKey("cwd_bound")),
  /** Whether the agent copies conversations (`session/fork`). */
  fork: Schema.optionalWith(Schema.Boolean, { default: () => false })
})
export type AcpConfig = typeof AcpConfig.Type

const modeOf = (word: string | null): string | null => (word === "ask" ? null : word)

/** The agent of a configuration. What it can continue is found out when it is asked. */
export const configuredAgent = (id: string, config: AcpConfig): AcpAgent => {
  const [program, ...args] = config.command
  const { edit, full, read } = config.permissions
  return {
    id,
    title: config.title ?? id,
    install: config.install ?? `Install "${program}", or correct the command of the provider "${id}".`,
    program,
    args,
    capabilities: {
      ...common,
      fork: config.fork,
      thinkingLevels: config.thinking,
      permissions: config.permissions,
      cwdBound: config.cwdBound,
      // Not known, so taken to be so: the preview then warns of what may still be at work.
      survivesKill: true,
      reportsModel: true,
      verifiedWith: "configuration"
    },
    modes: { read: modeOf(read), edit: modeOf(edit), full: modeOf(full) },
    aside: () => null,
    isSessionId: isPlainId
  }
}
