/** Moving one of several things to another place. Pure. */
import type { Place } from "./TaskStore.js"

/** The ids in their new order. A place that names no other id of the list leaves the order as it is. */
export const reordered = <Id extends string>(ids: ReadonlyArray<Id>, id: Id, place: Place): ReadonlyArray<Id> => {
  if (!ids.includes(id)) return ids
  const others = ids.filter((each) => each !== id)
  const at = indexOf(others, place)
  return at === null ? ids : [...others.slice(0, at), id, ...others.slice(at)]
}

const indexOf = (others: ReadonlyArray<string>, place: Place): number | null => {
  if ("at" in place) return place.at === "top" ? 0 : others.length
  if ("position" in place) return Math.min(Math.max(1, place.position), others.length + 1) - 1
  const beside = others.indexOf("before" in place ? place.before : place.after)
  if (beside === -1) return null
  return "before" in place ? beside : beside + 1
}
