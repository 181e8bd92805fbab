/** Where the store is, whether it can be written, and who else could read it. */
import { statfsSync } from "node:fs"
import { StoreCare, StoreInfo } from "@alluka/store"
import * as Effect from "effect/Effect"
import type { Setting, Step } from "../app.js"
import { type Check, check } from "./check.js"

/** Free space below which the end of a run may not be stored, bytes. */
const littleSpace = 50 * 1024 * 1024

/** Paths that are named one by one. */
const named = 5

export const storeChecks = ({ home, output }: Setting, fix: boolean): Step<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const info = yield* StoreInfo
    const exposed = yield* exposure(fix && !info.readOnly, output.command(["doctor", "--fix"]))
    const { bavail, bsize } = yield* Effect.sync(() => statfsSync(home))
    const free = Math.floor((bavail * bsize) / 1024 / 1024)
    return [
      check("store", "ok", `the run store is ${info.path}`),
      ...(info.readOnly
        ? [
            check("store_read_only", "problem", `${home} cannot be written: nothing can be started`, {
              try: ["make the folder writable, or name another with --home"]
            })
          ]
        : []),
      ...(info.movedAside === null
        ? []
        : [
            check(
              "store_moved",
              "warning",
              `the store was damaged (${info.movedAside.cause}); it was moved aside, and a new one begun`,
              {
                detail: `nothing of it was changed: ${info.movedAside.files.join(", ")}`,
                try: [`sqlite3 ${info.movedAside.path} .recover`]
              }
            )
          ]),
      ...exposed,
      bavail * bsize < littleSpace
        ? check("space", "problem", `only ${free} MiB are free under ${home}`, {
            try: ["free some space: a run's end must be stored"]
          })
        : check("space", "ok", `${free} MiB are free`)
    ]
  })

const exposure = (fix: boolean, hint: string): Step<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const care = yield* StoreCare
    const exposed = yield* care.exposed
    if (exposed.length === 0) return []
    const left = fix ? yield* care.close(exposed) : exposed
    const shown = exposed.slice(0, named).join(", ")
    const more = exposed.length > named ? ` and ${exposed.length - named} more` : ""
    return [
      check(
        "permissions",
        left.length === 0 ? "fixed" : fix ? "problem" : "warning",
        `${exposed.length === 1 ? "1 path" : `${exposed.length} paths`} of the data folder ${
          left.length === 0 ? "could" : "can"
        } be read or written by other users of this machine`,
        {
          detail: `${shown}${more}`,
          try: left.length === 0 ? [] : fix ? left.slice(0, named).map((path) => `chmod go= ${path}`) : [hint]
        }
      )
    ]
  })
