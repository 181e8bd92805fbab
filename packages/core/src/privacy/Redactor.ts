/** The port through which every text goes before it is stored or printed, and the layer over core's own patterns. */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { environmentSecrets } from "./environmentSecrets.js"
import { makeRedact } from "./redact.js"

export class Redactor extends Context.Tag("@alluka/core/Redactor")<
  Redactor,
  {
    /** The text with every secret replaced; the same text if there was none. */
    readonly redact: (text: string) => string
  }
>() {}

/** A redactor that knows the credentials of an environment (by name and value), besides the usual forms of keys. */
export const fromEnvironment = (environment: Readonly<Record<string, string | undefined>>): Redactor["Type"] => ({
  redact: makeRedact(environmentSecrets(environment))
})

export const layer = (environment: Readonly<Record<string, string | undefined>>): Layer.Layer<Redactor> =>
  Layer.sync(Redactor, () => fromEnvironment(environment))
