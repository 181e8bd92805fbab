/**
 * Whether an owner is alive, from what was seen. Pure. Death is told only on proof: what does not prove it is unknown,
 * and neither time nor silence counts.
 */
import { OwnerIdentity } from "@alluka/core"
import type { Place } from "./thisProcess.js"

/** What an attempt to read the owner's lock file said. */
export type LockSeen = "held" | "free" | "absent" | "unreadable"

/** What is known of the process with the owner's number; asked for only where the number means the same here. */
export type ProcessSeen =
  | { readonly kind: "gone" }
  | { readonly kind: "there"; readonly pidStart: string | null }
  | { readonly kind: "hidden" }

export interface Seen {
  readonly lock: LockSeen
  /** Where the asking process runs. */
  readonly here: Place
  readonly process: () => ProcessSeen
}

const { Alive, Dead, Unknown } = OwnerIdentity.Liveness

/** The owner's machine was started anew since: only for the same machine, as far as its name tells. */
const restarted = (owner: OwnerIdentity.OwnerRecord, here: Place): boolean =>
  owner.host === here.host && owner.bootId !== null && here.bootId !== null && owner.bootId !== here.bootId

export const judge = (owner: OwnerIdentity.OwnerRecord, seen: Seen): OwnerIdentity.Liveness => {
  const { here } = seen
  switch (seen.lock) {
    case "held":
      return Alive()
    case "free":
      // The lock ends with its holder, so this alone is proof, wherever the holder ran.
      return Dead({ cause: restarted(owner, here) ? "host_restarted" : "owner_lost" })
    case "unreadable":
      return Unknown({ why: "its lock file cannot be read" })
    case "absent":
      break
  }
  if (owner.host !== here.host) return Unknown({ why: `it ran on another machine (${owner.host})` })
  if (owner.bootId === null || here.bootId === null) return Unknown({ why: "it cannot be told which boot it ran in" })
  if (restarted(owner, here)) return Dead({ cause: "host_restarted" })
  if (owner.pidNamespace !== here.pidNamespace) {
    return Unknown({ why: "its process number belongs to another container" })
  }
  const process = seen.process()
  switch (process.kind) {
    case "gone":
      return Dead({ cause: "owner_lost" })
    case "hidden":
      return Unknown({ why: `process ${owner.pid} is there, and may not be looked at` })
    case "there":
      if (owner.pidStart === null || process.pidStart === null) {
        return Unknown({ why: `it cannot be told whether process ${owner.pid} is still the same one` })
      }
      return process.pidStart === owner.pidStart
        ? Unknown({ why: `process ${owner.pid} is alive, but its lock file is gone` })
        : Dead({ cause: "owner_lost" })
  }
}
