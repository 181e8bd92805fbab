/** What a person asks of a resume, from the command line. Pure. */
import { resolve } from "node:path"
import { Decision, Facts, type State } from "@alluka/core"
import type { Options } from "./arguments/Option.js"

const flagName = (flag: string): string => flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** The consents that were given by their flags. */
export const consentsOf = (options: Options): ReadonlySet<Decision.Consent> =>
  new Set(Decision.Consent.literals.filter((consent) => options.flag(flagName(Decision.consentFlag[consent]))))

/** The flags that give the request's consents: those given by an answer are passed on to a process that cannot ask. */
export const flagsOf = ({ consents }: Facts.ResumeRequest): ReadonlyArray<string> =>
  [...consents].map((consent) => Decision.consentFlag[consent])

export const resumeRequestOf = (options: Options, cwd: string, instruction: string | null): Facts.ResumeRequest => {
  const cd = options.text("cd")
  return {
    ...Facts.plainRequest,
    consents: consentsOf(options),
    fresh: options.flag("fresh"),
    fork: options.flag("fork"),
    instruction,
    model: options.text("model"),
    thinking: options.text("thinking"),
    permission: options.text("permission") as State.Permission | null,
    provider: options.text("provider"),
    cd: cd === null ? null : resolve(cwd, cd)
  }
}

/** The question that asks for a consent. */
export const consentQuestion: Readonly<Record<Decision.Consent, string>> = {
  stale: "Go on with this old session?",
  cancelled: "Go on although the run was cancelled?",
  fresh: "Start a new conversation about the same task?",
  model_change: "Go on with the new model and a summary of the conversation?",
  survivor: "End that process and resume?",
  limit: "Try before the limit resets?",
  attempts: "Resume once more?",
  owner_dead: "Are you sure that the process which held the run is gone?"
}
