/** The moments of a run at which it may be cut off, in the order in which they come: one table for every provider. */

export const points = {
  created: "after the checkpoint was created, before the agent was started",
  silent: "after the start, before the first byte",
  firstLine: "in the middle of the first line",
  opened: "after the line that opens the conversation",
  message: "after the first message",
  tool: "while a tool is at work",
  toolDone: "after the tool",
  midLine: "in the middle of a later line",
  result: "after the last word, before the exit",
  exited: "after the exit, before the end is stored"
} as const

export type Point = keyof typeof points

export const allPoints = Object.keys(points) as ReadonlyArray<Point>

/** Points that a format does not have, each with the reason. */
export type Lacking = Readonly<Partial<Record<Point, string>>>

/** Whether a point is not before another; `null` as the other: it never comes. */
export const reached = (point: Point, other: Point | null): boolean =>
  other !== null && allPoints.indexOf(point) >= allPoints.indexOf(other)
