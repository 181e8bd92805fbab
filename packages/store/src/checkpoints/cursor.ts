/** The place in a list where the next page begins: opaque to callers, checked when it comes back. Pure. */
import { Buffer } from "node:buffer"
import type { CheckpointStore } from "@alluka/core"
import * as Option from "effect/Option"

type Sort = CheckpointStore.ListQuery["sort"]

/** The last row of a page: what the order is by, and its number. */
export interface Place {
  readonly seq: number
  readonly updatedAt: number
}

const isWhole = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value)

export const encode = (sort: Sort, place: Place): string =>
  Buffer.from(JSON.stringify([1, sort, place.seq, place.updatedAt])).toString("base64url")

/** None: not a cursor of ours, or one of a list in another order. */
export const decode = (sort: Sort, cursor: string): Option.Option<Place> => {
  const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))(
    Buffer.from(cursor, "base64url").toString("utf8")
  )
  return Option.filterMap(parsed, (value) => {
    if (!Array.isArray(value)) return Option.none()
    const [version, order, seq, updatedAt] = value
    return version === 1 && order === sort && isWhole(seq) && isWhole(updatedAt)
      ? Option.some({ seq, updatedAt })
      : Option.none()
  })
}
