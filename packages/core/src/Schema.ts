/**
 * The one module that names the schema library. Everything else imports `@alluka/core/Schema` (or `./Schema.js` inside
 * core), so a move to another implementation is a change of these lines.
 */
/** What schemas are made of. */

export * as Arbitrary from "@effect/schema/Arbitrary"
export * as ArrayFormatter from "@effect/schema/ArrayFormatter"
export * as AST from "@effect/schema/AST"
/** The property-test library in the version that `Arbitrary` is made of. */
export * as FastCheck from "@effect/schema/FastCheck"
export * as JSONSchema from "@effect/schema/JSONSchema"
export * as ParseResult from "@effect/schema/ParseResult"
export * from "@effect/schema/Schema"
