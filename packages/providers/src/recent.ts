/**
 * What a decoder remembers of the ids that a program names: the newest few hundred. A program that names new ones without
 * end, and ends none of them, must not fill our memory, nor make each of its lines dearer than the one before.
 */

/** Tool uses at work at the same time are a dozen; those of a whole turn a few hundred. */
export const keptIds = 512

/** The ids with one more, the newest last. */
export const withId = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  if (ids.has(id)) return ids
  const all = [...ids, id]
  return new Set(all.length > keptIds ? all.slice(-keptIds) : all)
}

/** The entries with one set; a new one is the newest. */
export const withEntry = <V>(entries: ReadonlyMap<string, V>, id: string, value: V): ReadonlyMap<string, V> => {
  const next = new Map(entries).set(id, value)
  const [oldest] = next.keys()
  if (next.size > keptIds && oldest !== undefined) next.delete(oldest)
  return next
}
