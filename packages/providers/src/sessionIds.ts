/** Session ids that have the form of a UUID. */
import { v5 } from "uuid"

/** The namespace of every session id that Alluka derives; made once at random, and never to be changed. */
const namespace = "6f1c0b3e-2a8d-4c57-9e41-b7d2f05a9c38"

/**
 * The UUID (version 5) derived from a seed: the same seed always gives the same id, so an id that was chosen before a
 * crash can be found again. Never version 7: ids that begin with the time collide where a program keys its files by
 * their first characters.
 */
export const uuidFor = (seed: string): string => v5(seed, namespace)

/** Whether a text has the form of a UUID, of whatever version. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
