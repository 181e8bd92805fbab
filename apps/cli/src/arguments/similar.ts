/** The word that was probably meant. Pure. */

/** Insertions, deletions, replacements and swaps of neighbours from one word to the other. */
const distance = (a: string, b: string): number => {
  const rows: Array<Array<number>> = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(
        (rows[i - 1]?.[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (rows[i - 1]?.[j - 1] ?? 0) + (same ? 0 : 1)
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (rows[i - 2]?.[j - 2] ?? 0) + 1)
      }
      row.push(least)
    }
    rows.push(row)
  }
  return rows[a.length]?.[b.length] ?? 0
}

/** The nearest of the words, if it is near enough to be a slip: a third of its letters at most, and never more than three. */
export const similar = (word: string, among: ReadonlyArray<string>): string | null => {
  let nearest: string | null = null
  let least = Number.POSITIVE_INFINITY
  // Of two that are equally near, the one of the same length: letters are swapped more often than left out.
  for (const candidate of among) {
    const far = distance(word.slice(0, 40), candidate) + (candidate.length === word.length ? 0 : 0.5)
    if (far < least && far <= Math.min(3.5, Math.floor(candidate.length / 3) + 1.5)) {
      least = far
      nearest = candidate
    }
  }
  return nearest
}
