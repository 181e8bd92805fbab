/** What is measured, in the order of the report. */
import { claims } from "./claims.mjs"
import { decoding } from "./decoding.mjs"
import { feed } from "./feed.mjs"
import { growth } from "./growth.mjs"
import { lists } from "./lists.mjs"
import { monitor } from "./monitor.mjs"
import { startup } from "./startup.mjs"
import { supervisor } from "./supervisor.mjs"
import { sweep } from "./sweep.mjs"
import { wholeRun } from "./wholeRun.mjs"

export const parts = [startup, wholeRun, lists, growth, claims, sweep, supervisor, feed, monitor, decoding]
