/** How long single calls take. */
import { median } from "./statistics.mjs"

/** Milliseconds that a call takes. */
export const elapsed = async (call) => {
  const before = process.hrtime.bigint()
  await call()
  return Number(process.hrtime.bigint() - before) / 1e6
}

/** The median of a few calls, ms, after one that is not counted. */
export const medianOf = async (count, call) => {
  await call()
  const samples = []
  for (let each = 0; each < count; each += 1) samples.push(await elapsed(call))
  return median(samples)
}
