/** What is measured, in the order of the report. */
import { startup } from "./startup.mjs"

export const parts = [startup]
