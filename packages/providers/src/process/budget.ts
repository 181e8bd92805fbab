/**
 * How much of a program's stderr is passed on: a burst, then so many bytes a second. A program that floods its stderr
 * must not fill the run's output file with noise or keep the owner busy; its last lines are kept elsewhere (`tail.ts`).
 */
export interface Budget {
  /** Bytes that may be passed on now. */
  readonly allowance: number
  /** When the allowance was last topped up, ms of any steady clock. */
  readonly at: number
  /** Lines held back since the last one that was passed on. */
  readonly heldBack: number
}

const burstBytes = 256 * 1024
const bytesPerMs = 32

export const fullBudget = (now: number): Budget => ({ allowance: burstBytes, at: now, heldBack: 0 })

export interface Spent {
  readonly budget: Budget
  readonly pass: boolean
  /** Lines that were held back before this one; only ever above 0 where it passes. */
  readonly missed: number
}

/** Asks to pass on one line of `bytes` bytes at `now`. */
export const spend = (budget: Budget, now: number, bytes: number): Spent => {
  const topped = Math.min(burstBytes, budget.allowance + Math.max(0, now - budget.at) * bytesPerMs)
  if (bytes > topped) {
    return { budget: { allowance: topped, at: now, heldBack: budget.heldBack + 1 }, pass: false, missed: 0 }
  }
  return { budget: { allowance: topped - bytes, at: now, heldBack: 0 }, pass: true, missed: budget.heldBack }
}
