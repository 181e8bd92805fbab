import { describe, expect, test } from "@effect/vitest"
import fc from "fast-check"
import { jsonForTerminal } from "./jsonForTerminal.js"
import { terminalText } from "./terminalText.js"

const ESC = "\u001b"
const ST = `${ESC}\\`
const BEL = "\u0007"

/** What a hostile agent prints, and all that a person may get of it. */
const vectors: ReadonlyArray<readonly [name: string, input: string, expected: string]> = [
  ["colour", `${ESC}[31mred${ESC}[0m`, "red"],
  ["colour with colons", `${ESC}[38:2::1:2:3mx`, "x"],
  ["clear screen and home", `a${ESC}[2J${ESC}[Hb`, "ab"],
  ["alternate screen", `${ESC}[?1049hx${ESC}[?1049l`, "x"],
  ["mouse reporting", `${ESC}[?1003hx`, "x"],
  ["bracketed paste", `${ESC}[?2004hx`, "x"],
  ["cursor position request", `${ESC}[6nx`, "x"],
  ["device attributes request", `${ESC}[cx${ESC}[>cx`, "xx"],
  ["reset", `${ESC}cx`, "x"],
  ["save and restore", `${ESC}7a${ESC}8b`, "ab"],
  ["reverse index", `a${ESC}Mb`, "ab"],
  ["character set", `${ESC}(0lqk${ESC}(B`, "lqk"],
  ["alignment test", `${ESC}#8x`, "x"],
  ["utf-8 off", `${ESC}%@x`, "x"],
  ["single shift 2", `a${ESC}Nzb`, "ab"],
  ["single shift 3", `a${ESC}OPb`, "ab"],
  ["title", `${ESC}]0;owned${BEL}x`, "x"],
  ["title of tmux", `${ESC}kowned${ST}x`, "x"],
  ["clipboard", `${ESC}]52;c;cm0gLXJmIH4=${BEL}x`, "x"],
  ["link", `${ESC}]8;;https://evil.example${ST}bank${ESC}]8;;${ST}`, "bank"],
  ["working directory", `${ESC}]7;file://h/etc${ST}x`, "x"],
  ["notification", `${ESC}]9;click me${BEL}x`, "x"],
  ["inline image", `${ESC}]1337;File=inline=1:AAAA${BEL}x`, "x"],
  ["palette request", `${ESC}]4;1;?${BEL}x`, "x"],
  ["OSC never closed", `a${ESC}]0;owned`, "a"],
  ["OSC never closed, next line", `a${ESC}]0;owned\nb`, "a\nb"],
  ["DCS", `${ESC}P$q"p${ST}x`, "x"],
  ["sixel", `${ESC}Pq#0;2;0;0;0${ST}x`, "x"],
  ["APC", `${ESC}_Gf=100;AAAA${ST}x`, "x"],
  ["PM", `${ESC}^secret${ST}x`, "x"],
  ["SOS", `${ESC}Xsecret${ST}x`, "x"],
  ["tmux passthrough", `${ESC}Ptmux;${ESC}${ESC}]52;c;AAAA${BEL}${ST}x`, "x"],
  ["DCS never closed", `a${ESC}Ptmux;${ESC}${ESC}]52`, "a"],
  ["8-bit CSI", "\u009b31mred\u009b0m", "red"],
  ["8-bit OSC", `\u009d52;c;AAAA\u009cx`, "x"],
  ["8-bit OSC closed by BEL", `\u009d0;owned${BEL}x`, "x"],
  ["8-bit DCS", "\u0090q\u009cx", "x"],
  ["8-bit APC, PM, SOS", "\u009fa\u009c\u009eb\u009c\u0098c\u009cx", "x"],
  ["8-bit single shifts", "a\u008ezb\u008fzc", "abc"],
  ["nested escape that would come together", `${ESC}[${ESC}[31m31mx`, "31mx"],
  ["escape around an escape", `${ESC}${ESC}]0;a${BEL}]0;owned${BEL}x`, "]0;owned\ufffdx"],
  ["split by NUL", `${ESC}\u0000[\u00003\u00001mx`, "x"],
  ["split by DEL", `${ESC}\u007f[3\u007f1mx`, "x"],
  ["broken off by CAN", `${ESC}[31\u0018mx`, "mx"],
  ["broken off by a line end", `${ESC}[31\nmx`, "\nmx"],
  ["bare ESC at the end", `x${ESC}`, "x"],
  ["carriage return overwrites", "safe\rrm -rf ~", "safe\nrm -rf ~"],
  ["windows line end", "a\r\nb", "a\nb"],
  ["backspace overwrites", "no\b\byes", "no\ufffd\ufffdyes"],
  ["bell", `a${BEL}b`, "a\ufffdb"],
  ["shift out, shift in", "a\u000eb\u000fc", "a\ufffdb\ufffdc"],
  ["vertical tab, form feed", "a\u000bb\u000cc", "a\ufffdb\ufffdc"],
  ["next line, index", "a\u0085b\u0084c", "a\ufffdb\ufffdc"],
  ["right-to-left override", "user\u202etxt.exe", "user<U+202E>txt.exe"],
  ["left-to-right embedding and pop", "\u202aa\u202c", "<U+202A>a<U+202C>"],
  ["isolates", "\u2066a\u2069\u2067b\u2068", "<U+2066>a<U+2069><U+2067>b<U+2068>"],
  ["marks", "a\u200eb\u200fc\u061cd", "a<U+200E>b<U+200F>c<U+061C>d"],
  ["zero-width space and joiner", "pay\u200bpal\u200d\u2060x", "pay<U+200B>pal<U+200D><U+2060>x"],
  ["byte order mark", "\ufeffx", "<U+FEFF>x"],
  ["soft hyphen", "pay\u00adpal", "pay<U+00AD>pal"],
  ["line and paragraph separators", "a\u2028b\u2029c", "a<U+2028>b<U+2029>c"],
  ["text hidden in tags", "hi\u{e0068}\u{e0069}", "hi<U+E0068><U+E0069>"],
  ["text hidden in selectors", "a\ufe00\ufe01\u{e0100}", "a<U+FE00><U+FE01><U+E0100>"],
  [
    "text hidden in the tags of a flag",
    "\u{1f3f4}\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{e007f}",
    "\u{1f3f4}<U+E0069><U+E0067><U+E006E><U+E006F><U+E0072><U+E0065><U+E007F>"
  ],
  ["lone surrogates", "a\ud83db\ude00c", "a\ufffdb\ufffdc"],
  ["a surrogate pair pulled apart by an escape", `\ud83d${ESC}[0m\ude00`, "😀"]
]

/** What must stay as it is. */
const harmless: ReadonlyArray<readonly [name: string, text: string]> = [
  ["ascii", "plain text, with\ttab and\nline"],
  ["chinese", "修复登录流程"],
  ["family", "👨‍👩‍👧‍👦 done"],
  ["skin tones joined", "👩🏽‍🚀"],
  ["rainbow flag", "🏳️‍🌈"],
  ["pirate flag", "🏴‍☠️"],
  ["flag of Wales", "🏴󠁧󠁢󠁷󠁬󠁳󠁿"],
  ["flag of a country", "🇩🇪"],
  ["keycap", "1️⃣"],
  ["heart as emoji", "❤️"],
  ["combining accent", "e\u0301"],
  ["arabic and hebrew", "مرحبا שלום"],
  ["persian with a non-joiner", "می\u200cخواهم"],
  ["hindi with a joiner", "क्\u200dष"],
  ["ideograph with a variation", "葛\u{e0100}"],
  ["box drawing", "├── a │ b"]
]

/** Pieces of escape sequences and invisible characters, in any order. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          "\u001b",
          "\u001b[",
          "\u001b]",
          "\u001bP",
          "\u001b\\",
          "\u0007",
          "\u009b",
          "\u009d",
          "\u009c",
          "\u0000",
          "\r",
          "\n",
          "\t"
        ],
        ...[
          "\u202e",
          "\u200b",
          "\u200d",
          "\u200c",
          "\ufe0f",
          "\ud83d",
          "\ude00",
          "👩",
          "🏴",
          "\u{e0067}",
          "\u{e007f}",
          "م",
          "क",
          "3",
          "m",
          ";"
        ]
      ),
      fc.string({ unit: "binary", maxLength: 4 })
    ),
    { maxLength: 40 }
  )
  .map((parts) => parts.join(""))

describe("terminalText", () => {
  test.each(vectors)("%s", (_, input, expected) => {
    expect(terminalText(input)).toBe(expected)
    expect(terminalText(terminalText(input))).toBe(expected)
  })

  test.each(harmless)("keeps %s", (_, text) => {
    expect(terminalText(text)).toBe(text)
  })

  test("one line stays one line", () => {
    expect(terminalText("a\r\n\tb\rc\n", { singleLine: true })).toBe("a b c ")
  })

  test("never lets a control, an override or half a character out, and is idempotent", () => {
    fc.assert(
      fc.property(nasty, fc.boolean(), (text, singleLine) => {
        const safe = terminalText(text, { singleLine })
        expect(safe).not.toMatch(
          singleLine ? /[\u0000-\u001f\u007f-\u009f]/ : /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
        )
        expect(safe).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u2060\ufeff\u{e0001}]/u)
        expect(safe.isWellFormed()).toBe(true)
        expect(safe.length).toBeLessThanOrEqual(text.length * 8)
        expect(terminalText(safe, { singleLine })).toBe(safe)
      }),
      { numRuns: 3000 }
    )
  })

  test("a text cut anywhere is as safe as the whole", () => {
    const hostile = vectors.map(([, input]) => input).join("")
    for (let cut = 0; cut <= hostile.length; cut++) {
      for (const part of [hostile.slice(0, cut), hostile.slice(cut)]) {
        expect(terminalText(part)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      }
    }
  })

  test("takes time in proportion to the text", () => {
    for (const hostile of [
      "\u001b[",
      "\u001bP\u001b\u001b",
      "\u009d",
      "\u200d",
      "👩\u200d",
      "\u{1f3f4}\u{e0067}",
      " \t"
    ]) {
      const text = hostile.repeat(Math.ceil(500_000 / hostile.length))
      const started = Date.now()
      terminalText(text, { singleLine: true })
      expect(Date.now() - started, JSON.stringify(hostile)).toBeLessThan(3000)
    }
  })
})

describe("jsonForTerminal", () => {
  test("holds nothing a terminal acts on, and the same data", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const value = { text: text.toWellFormed(), list: [text.toWellFormed()] }
        const json = jsonForTerminal(JSON.stringify(value))
        expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\ufeff]/)
        expect(JSON.parse(json)).toEqual(value)
      })
    )
  })

  test("escapes characters outside the first plane as a pair", () => {
    expect(jsonForTerminal('"\u{e0041}"')).toBe('"\\udb40\\udc41"')
  })
})
