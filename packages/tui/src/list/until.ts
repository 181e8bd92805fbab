/**
 * How long a text about time stays as it is. Whoever writes such a text says when it will be another one, and whoever keeps
 * what was made of it asks until when it may be kept: a screen that is looked at for hours changes a clock a second, and
 * little else.
 */
let until = Number.POSITIVE_INFINITY

/** What is being made will be another from then on, ms since 1970. */
export const changesAt = (time: number): void => {
  if (time < until) until = time
}

/** Makes a value, and tells until when it would be made the same. What is made around it lasts no longer. */
export const lasting = <Value>(make: () => Value): { readonly value: Value; readonly until: number } => {
  const around = until
  until = Number.POSITIVE_INFINITY
  try {
    const value = make()
    return { value, until }
  } finally {
    until = Math.min(around, until)
  }
}
