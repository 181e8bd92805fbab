/** What the composition root must know of an opened store besides what core's ports say. */
import * as Context from "effect/Context"
import type { MovedAside } from "./connection/Database.js"

export class StoreInfo extends Context.Tag("@alluka/store/StoreInfo")<
  StoreInfo,
  {
    /** Real path of the data folder. */
    readonly home: string
    /** The database in it. */
    readonly path: string
    /** Nothing can be written there: what is read is a private copy, and ends found for dead owners are told, not stored. */
    readonly readOnly: boolean
    /** A damaged database that was renamed when the store was opened; to be told to the person. */
    readonly movedAside: MovedAside | null
  }
>() {}
