/** JSON as it is printed: one line a document, safe for a terminal, strict for a parser. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Characters that JSON leaves as they are and a terminal acts on: 8-bit controls, bidirectional and invisible ones. */
const unsafe = /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu
