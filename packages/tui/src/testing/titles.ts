/** Titles that have broken screens before: wide, joined, combining, right-to-left, endless, empty, hostile. */
export const hardTitles: ReadonlyArray<string> = [
  "修复登录流程",
  "🔥🚀 deploy",
  "the 👨‍👩‍👧‍👦 family",
  "cafe\u0301 e\u0301",
  "flag 🇩🇪 of 🏴󠁧󠁢󠁷󠁬󠁳󠁿",
  "עברית and العربية",
  "x".repeat(500),
  "宽".repeat(200),
  "",
  "   ",
  "\u0301 begins with a mark",
  "\u001b[31mred\u001b[0m \u001b]52;c;aGVsbG8=\u0007 \u009b2J",
  "tab\there\nand a line",
  "ends in half a pair \ud83d",
  "zero\u200bwidth \u202ertl override",
  "각 한국어 ｶﾞ ﾟ",
  "ก็ภาษาไทย ไม่มีช่องว่าง",
  "👍🏽 1️⃣ ❤️ ✔︎",
  "नमस्ते दुनिया"
]
