/**
 * Stands in for `@effect/platform/Error` in the bundle: of that module only this one function is used (by @effect/sql's
 * errors), and the rest of it would bring a second schema library along, loaded at every start.
 */
import * as Data from "effect/Data"

export const TypeIdError = (typeId, tag) => {
  class Base extends Data.Error {
    _tag = tag
  }
  Base.prototype[typeId] = typeId
  Base.prototype.name = tag
  return Base
}
