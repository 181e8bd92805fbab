/** Who this process is, in the terms in which another process may have to decide whether it is alive. */
import * as Os from "node:os"
import { bootId, pidNamespace } from "../host/proc.js"
import { here } from "../host/processTable.js"
import { bootSession } from "../host/ps.js"

/** Where and when something runs. */
export interface Place {
  readonly host: string
  /** `null`: not known. */
  readonly bootId: string | null
  readonly pidNamespace: string | null
}

/** Where this process runs. */
export const place = (): Place => ({
  host: Os.hostname(),
  bootId: process.platform === "linux" ? bootId() : bootSession(),
  pidNamespace: pidNamespace()
})

/** When this process was started, as the process table writes it. */
export const ownStart = (): string | null => here.find(process.pid)?.pidStart ?? null
