/**
 * Characters that change how other text is read without being seen: bidirectional controls, zero-width characters, tag
 * characters, variation selectors. One list for the terminal, for JSON and for the redactor.
 */

/** Ranges of a regular expression's character class, for use with the `u` flag. */
export const invisibleRanges =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f" +
  "\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}"

/** Whether a code point is one of them. */
export const isInvisible = (point: number): boolean => {
  if (point < 0x200b) {
    return (
      point === 0xad ||
      point === 0x34f ||
      point === 0x61c ||
      point === 0x115f ||
      point === 0x1160 ||
      point === 0x17b4 ||
      point === 0x17b5 ||
      (point >= 0x180b && point <= 0x180f)
    )
  }
  return (
    point <= 0x200f ||
    (point >= 0x2028 && point <= 0x202e) ||
    (point >= 0x2060 && point <= 0x206f) ||
    point === 0x3164 ||
    (point >= 0xfe00 && point <= 0xfe0f) ||
    point === 0xfeff ||
    point === 0xffa0 ||
    (point >= 0xfff0 && point <= 0xfffb) ||
    (point >= 0x1bca0 && point <= 0x1bca3) ||
    (point >= 0x1d173 && point <= 0x1d17a) ||
    (point >= 0xe0000 && point <= 0xe0fff)
  )
}
