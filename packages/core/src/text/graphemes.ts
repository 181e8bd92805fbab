/** Characters as people see them: an emoji family, or a letter with its accents, is one. */
let made: Intl.Segmenter | null = null

/** Made when it is first needed: it takes longer than the rest of a short command's start. */
const segmenter = (): Intl.Segmenter => {
  made ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })
  return made
}

export const graphemes = (text: string): ReadonlyArray<string> =>
  Array.from(segmenter().segment(text), ({ segment }) => segment)

/** Text looked at before and after a cut: longer than any grapheme, or run of flags, that people write. */
const surroundings = 512

/**
 * The last place at or before `index` (UTF-16 units) where the text can be cut between graphemes. A grapheme longer than
 * 512 units, which nobody writes, is cut between its code points.
 */
export const cutBefore = (text: string, index: number): number => {
  if (index <= 0) return 0
  if (index >= text.length) return text.length
  const from = safeStart(text, index)
  const around = segmenter()
    .segment(text.slice(from, index + surroundings))
    .containing(index - from)
  if (around === undefined) return index
  const cut = from + around.index
  return index - cut >= surroundings - 1 ? betweenPairs(text, index) : cut
}

/** A place before the index where a grapheme surely begins: an ASCII character joins nothing before it. */
const safeStart = (text: string, index: number): number => {
  let start = index - 1
  while (start > 0 && index - start < surroundings && !isAscii(text.charCodeAt(start))) start--
  return betweenPairs(text, start)
}

const isAscii = (unit: number): boolean => unit >= 0x20 && unit < 0x7f

/** The first place at or after `index` where the text can be cut between graphemes. */
export const cutAfter = (text: string, index: number): number => {
  const before = cutBefore(text, index)
  if (before >= index) return before
  const around = segmenter()
    .segment(text.slice(before, before + 2 * surroundings))
    .containing(0)
  return before + (around?.segment.length ?? 0)
}

/** The place itself, or the one before it if it lies between the halves of a surrogate pair. */
const betweenPairs = (text: string, index: number): number => {
  const unit = text.charCodeAt(index)
  const before = text.charCodeAt(index - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? index - 1 : index
}
