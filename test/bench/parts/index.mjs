/** What is measured, in the order of the report. */
import { decoding } from "./decoding.mjs"
import { lists } from "./lists.mjs"
import { startup } from "./startup.mjs"
import { sweep } from "./sweep.mjs"
import { wholeRun } from "./wholeRun.mjs"

export const parts = [startup, wholeRun, lists, sweep, decoding]
