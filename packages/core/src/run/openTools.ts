/**
 * The tools that are at work. An agent may call several at once; the position of a run names the newest that has not
 * answered, so that it says "none" only when there is none. Pure.
 */
import type { OpenTool } from "../checkpoint/Checkpoint.js"

/** Oldest first. */
export type OpenTools = ReadonlyArray<OpenTool>

/** How many are remembered: an agent that never tells of an end must not cost memory. */
const limit = 64

export const started = (open: OpenTools, tool: OpenTool): OpenTools => [...finished(open, tool.id), tool].slice(-limit)

export const finished = (open: OpenTools, id: string): OpenTools => open.filter((tool) => tool.id !== id)

export const newest = (open: OpenTools): OpenTool | null => open.at(-1) ?? null
