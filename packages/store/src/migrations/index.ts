/** The migrations of this program, in order. Each is applied once and never changed afterwards. */
import { initial } from "./initial.js"
import type { Migration } from "./Migration.js"
import { search } from "./search.js"
import { tasks } from "./tasks.js"

export const migrations: ReadonlyArray<Migration> = [initial, tasks, search]
