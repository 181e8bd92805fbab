/** Looks again and again until a condition holds, or says what was seen last. */
import { setTimeout as delay } from "node:timers/promises"

export const eventually = async (
  holds: () => boolean,
  seen: () => string = () => "",
  withinMs = 5000
): Promise<void> => {
  const deadline = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms; last seen:\n${seen()}`)
    await delay(10)
  }
}
