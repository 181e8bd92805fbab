/** What the schemas of all documents share. */
import * as Schema from "../../Schema.js"

/** A time as it stands in a document. */
export const IsoTime = Schema.String.pipe(
  Schema.pattern(/^(?:\d{4}|[+-]\d{6})-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
  Schema.annotations({ description: "A time: ISO 8601, UTC, with milliseconds" })
)

export const Text = Schema.String
export const TextOrNull = Schema.NullOr(Schema.String)
export const TimeOrNull = Schema.NullOr(IsoTime)
/** A whole number that counts something, or milliseconds. */
export const Count = Schema.Number.pipe(Schema.int(), Schema.nonNegative())
export const CountOrNull = Schema.NullOr(Count)
export const Numeric = Schema.JsonNumber
export const NumericOrNull = Schema.NullOr(Schema.JsonNumber)

/** The two fields that every document begins with. */
export const head = <const Kind extends string>(kind: Kind) => ({
  kind: Schema.Literal(kind),
  version: Schema.Literal(1).annotations({ description: "Version of this kind; additions keep it" })
})
