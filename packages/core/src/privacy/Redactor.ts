/** The port through which every text goes before it is stored or printed. */
import * as Context from "effect/Context"

export class Redactor extends Context.Tag("@alluka/core/Redactor")<
  Redactor,
  {
    /** The text with every secret replaced; the same text if there was none. */
    readonly redact: (text: string) => string
  }
>() {}
