/**
 * When a run has been silent or has lasted too long. Pure: it is fed ticks and activity, and counts only time that this
 * process was awake for, so a machine that slept wakes up to a run that is neither stalled nor timed out.
 */
export interface Watch {
  /** Awake time since the last sign of life, ms. */
  readonly silentMs: number
  /** Awake time since the start, ms. */
  readonly runMs: number
  /** Wall time until which an announced retry is waited for; `null`: none. */
  readonly retryUntil: number | null
}

export interface WatchLimits {
  /** `null`: no limit. */
  readonly timeoutMs: number | null
  readonly idleMs: number | null
}

/** The idle limit where nobody set one. */
export const defaultIdleMs = 30 * 60 * 1000

/** How often the watchdog looks, ms. A longer gap than twice this was not spent awake. */
export const tickMs = 1000

export const fresh: Watch = { silentMs: 0, runMs: 0, retryUntil: null }

/** A sign of life from the provider. */
export const alive = (watch: Watch): Watch => ({ ...watch, silentMs: 0, retryUntil: null })

/** The provider said that it will try again at a time (`null`: it did not say when). */
export const retrying = (watch: Watch, until: number | null): Watch => ({ ...watch, silentMs: 0, retryUntil: until })

/** Time went by. A tool at work is not silence, nor is an announced retry that is not due yet. */
export const tick = (watch: Watch, gapMs: number, now: number, toolOpen: boolean): Watch => {
  const awake = Math.max(0, Math.min(gapMs, 2 * tickMs))
  const waiting = toolOpen || (watch.retryUntil !== null && now < watch.retryUntil)
  return { ...watch, runMs: watch.runMs + awake, silentMs: waiting ? 0 : watch.silentMs + awake }
}

/** What the limits say now. */
export const verdict = (watch: Watch, limits: WatchLimits): "timed_out" | "stalled" | null => {
  if (limits.timeoutMs !== null && watch.runMs >= limits.timeoutMs) return "timed_out"
  if (limits.idleMs !== null && limits.idleMs > 0 && watch.silentMs >= limits.idleMs) return "stalled"
  return null
}
