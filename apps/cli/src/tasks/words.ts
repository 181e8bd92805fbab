/** A command line as one text, split into a program and its arguments. Pure; no shell is behind it. */

/** What only a shell understands, outside of quotes. */
const shellOnly = /[|&;<>()$`*?~#]|\n/

export type Words = { readonly words: ReadonlyArray<string> } | { readonly fault: string }

/**
 * Splits at white space; single and double quotes keep together, a backslash keeps the next character. A text that needs a
 * shell is refused rather than taken literally, since nobody who writes `a && b` means the program `a` with two arguments.
 */
export const splitWords = (text: string): Words => {
  const words: Array<string> = []
  let word: string | null = null
  let quote: "'" | '"' | null = null
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (quote === null) {
      if (/\s/.test(character) && character !== "\n") {
        if (word !== null) words.push(word)
        word = null
        continue
      }
      if (character === "'" || character === '"') {
        quote = character
        word ??= ""
        continue
      }
      if (shellOnly.test(character))
        return { fault: `"${character === "\n" ? "a line end" : character}" needs a shell` }
    } else if (character === quote) {
      quote = null
      continue
    }
    if (character === "\\" && quote !== "'" && index + 1 < text.length) {
      index += 1
      word = (word ?? "") + text.charAt(index)
      continue
    }
    word = (word ?? "") + character
  }
  if (quote !== null) return { fault: `a quote (${quote}) is not closed` }
  if (word !== null) words.push(word)
  return words.length === 0 || words[0] === "" ? { fault: "it names no program" } : { words }
}
