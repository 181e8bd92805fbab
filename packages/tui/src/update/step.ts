/** What every part of the reducer gives back. */
import type { Command } from "../model/Command.js"
import type { Model, Toast } from "../model/Model.js"

export type Step = readonly [Model, ReadonlyArray<Command>]

export const stay = (model: Model): Step => [model, []]

export const asking = (model: Model, ...commands: ReadonlyArray<Command>): Step => [model, commands]

/** How long a toast stands, ms. */
const toastMs = 5000

export const withToast = (model: Model, text: string, tone: Toast["tone"] = "plain"): Model => ({
  ...model,
  toast: { text, tone, until: model.now + toastMs }
})

/** The words of a command line, quoted where a shell would split them. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** The same from a shell. */
export const twinOf = (model: Model, argv: ReadonlyArray<string>): string =>
  [model.settings.program, ...argv.map(shellWord)].join(" ")
