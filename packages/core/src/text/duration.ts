/** Durations for people: `45s`, `12m`, `2h 5m`, `3d 4h`. */

/** A duration in ms in at most two units; below a second `0s`. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const parts: ReadonlyArray<readonly [number, string]> = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"]
  ]
  const first = parts.findIndex(([value]) => value > 0)
  if (first === -1) return "0s"
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value}${unit}`)
    .join(" ")
}
