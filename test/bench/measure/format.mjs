/** Figures as text. Pure. */
export const number = (value) =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)

const suffix = { ratio: "x", ms: " ms", us: " µs", percent: " %", mb: " MB", perSecond: " /s" }

/** `1.93x`, `12.4 ms`. */
export const figureText = (value, unit) => `${number(value)}${suffix[unit] ?? ` ${unit}`}`
