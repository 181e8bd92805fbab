/** What is measured, in the order of the report. */
import { startup } from "./startup.mjs"
import { wholeRun } from "./wholeRun.mjs"

export const parts = [startup, wholeRun]
