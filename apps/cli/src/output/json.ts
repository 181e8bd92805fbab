/** JSON as it is printed: one line a document, safe for a terminal, strict for a parser. */
import { JsonForTerminal } from "@alluka/core"

export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** The document on one line, with its line end. No control character of any kind is left in it. */
export const jsonLine = (value: JsonObject): string => `${JsonForTerminal.jsonForTerminal(JSON.stringify(value))}\n`
