/** Waiting for something another process does: looks again and again until a deadline, and then says what was seen last. */
import { setTimeout as delay } from "node:timers/promises"

export interface Patience {
  readonly withinMs?: number
  /** What is waited for, for the message of a failure. */
  readonly what?: string
}

/** Thrown by `look` when what is waited for can no longer come. */
export class GiveUp extends Error {}

/**
 * Runs `look` until it gives a value other than `undefined`, `null` or `false`, and returns that value. A throw of `look`
 * counts as "not yet"; after `withinMs` (default 20 s) the wait fails with what was thrown last.
 */
export const eventually = async <Value>(
  look: () => Value | Promise<Value>,
  { withinMs = 20_000, what = "the condition" }: Patience = {}
): Promise<Exclude<Value, undefined | null | false>> => {
  const deadline = Date.now() + withinMs
  let last: unknown
  for (;;) {
    try {
      const value = await look()
      if (value !== undefined && value !== null && value !== false)
        return value as Exclude<Value, undefined | null | false>
      last = value
    } catch (cause) {
      if (cause instanceof GiveUp) throw cause
      last = cause
    }
    if (Date.now() >= deadline) {
      const seen = last instanceof Error ? last.message : String(last)
      throw new Error(`${what}: not within ${withinMs} ms; last seen: ${seen}`)
    }
    await delay(20)
  }
}
