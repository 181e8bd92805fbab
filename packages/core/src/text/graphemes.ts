/** Characters as people see them: an emoji family, or a letter with its accents, is one. */
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

export const graphemes = (text: string): ReadonlyArray<string> =>
  Array.from(segmenter.segment(text), ({ segment }) => segment)
