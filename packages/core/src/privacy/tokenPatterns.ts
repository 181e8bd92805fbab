/**
 * Keys and tokens that are known by their form: a fixed beginning, then enough of the characters the issuer uses. The
 * minimum lengths are a little under the real ones, so that a key that was cut is found too.
 */
import type { Span } from "./Span.js"

interface TokenPattern {
  readonly label: string
  /** Fixed beginnings, case-sensitive: what the text is searched for. */
  readonly begins: ReadonlyArray<string>
  /** The whole token from its beginning on. Either bounded, or open only at its end: a failed match costs little. */
  readonly form: RegExp
}

const tokenPatterns: ReadonlyArray<TokenPattern> = [
  { label: "anthropic-key", begins: ["sk-ant-"], form: /sk-ant-[A-Za-z0-9_-]{16,}/y },
  // One segment must look random, so that names such as sk-learn-contrib stay.
  {
    label: "openai-key",
    begins: ["sk-"],
    form: /sk-(?:(?:proj|svcacct|admin|None|or-v1|kimi|lf)-[A-Za-z0-9_-]{16,}|(?:[A-Za-z0-9]{1,12}[-_]){0,4}(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{20,}[A-Za-z0-9_-]*)/y
  },
  { label: "github-token", begins: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], form: /gh[pousr]_[A-Za-z0-9_]{20,}/y },
  { label: "github-token", begins: ["github_pat_"], form: /github_pat_[A-Za-z0-9_]{20,}/y },
  {
    label: "gitlab-token",
    begins: ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-"],
    form: /gl[a-z]{2,6}-[A-Za-z0-9_.-]{16,}/y
  },
  { label: "aws-access-key", begins: ["AKIA", "ASIA", "ABIA", "ACCA"], form: /A(?:KI|SI|BI|CC)A[A-Z0-9]{16,}/y },
  { label: "google-key", begins: ["AIza"], form: /AIza[A-Za-z0-9_-]{30,}/y },
  { label: "google-token", begins: ["ya29."], form: /ya29\.[A-Za-z0-9_-]{20,}/y },
  { label: "google-secret", begins: ["GOCSPX-"], form: /GOCSPX-[A-Za-z0-9_-]{20,}/y },
  {
    label: "slack-token",
    begins: ["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
    form: /x(?:ox[a-z]|app)[-.][A-Za-z0-9%._/+-]{10,}/y
  },
  {
    label: "slack-webhook",
    begins: ["hooks.slack.com/"],
    form: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9_/-]{20,}/y
  },
  {
    label: "discord-webhook",
    begins: ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
    form: /discord(?:app)?\.com\/api\/webhooks\/[0-9]{10,25}\/[A-Za-z0-9_-]{20,}/y
  },
  { label: "npm-token", begins: ["npm_"], form: /npm_[A-Za-z0-9]{30,}/y },
  {
    label: "stripe-key",
    begins: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
    form: /[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/y
  },
  { label: "webhook-secret", begins: ["whsec_"], form: /whsec_[A-Za-z0-9+/=_-]{20,}/y },
  { label: "sendgrid-key", begins: ["SG."], form: /SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/y },
  { label: "huggingface-token", begins: ["hf_", "api_org_"], form: /(?:hf|api_org)_[A-Za-z0-9]{30,}/y },
  { label: "groq-key", begins: ["gsk_"], form: /gsk_[A-Za-z0-9]{40,}/y },
  { label: "xai-key", begins: ["xai-"], form: /xai-[A-Za-z0-9_-]{40,}/y },
  { label: "perplexity-key", begins: ["pplx-"], form: /pplx-[A-Za-z0-9]{32,}/y },
  { label: "nvidia-key", begins: ["nvapi-"], form: /nvapi-[A-Za-z0-9_-]{32,}/y },
  { label: "replicate-token", begins: ["r8_"], form: /r8_[A-Za-z0-9]{30,}/y },
  { label: "tavily-key", begins: ["tvly-"], form: /tvly-[A-Za-z0-9_-]{20,}/y },
  { label: "digitalocean-token", begins: ["dop_v1_", "doo_v1_", "dor_v1_"], form: /do[opr]_v1_[a-f0-9]{40,}/y },
  { label: "shopify-token", begins: ["shpat_", "shpca_", "shppa_", "shpss_"], form: /shp[a-z]{2}_[A-Fa-f0-9]{28,}/y },
  { label: "linear-key", begins: ["lin_api_", "lin_oauth_"], form: /lin_(?:api|oauth)_[A-Za-z0-9]{30,}/y },
  { label: "notion-token", begins: ["ntn_"], form: /ntn_[A-Za-z0-9]{36,}/y },
  { label: "pypi-token", begins: ["pypi-AgE"], form: /pypi-AgE[A-Za-z0-9_-]{40,}/y },
  { label: "docker-token", begins: ["dckr_pat_", "dckr_oat_"], form: /dckr_[op]at_[A-Za-z0-9_-]{20,}/y },
  { label: "supabase-token", begins: ["sbp_"], form: /sbp_[a-f0-9]{36,}/y },
  {
    label: "atlassian-token",
    begins: ["ATATT3x", "ATCTT3x", "ATBB"],
    form: /(?:AT[AC]TT3x[A-Za-z0-9_=-]{40,}|ATBB[A-Za-z0-9]{28,})/y
  },
  { label: "postman-key", begins: ["PMAK-"], form: /PMAK-[A-Fa-f0-9]{20,}-[A-Fa-f0-9]{30,}/y },
  { label: "grafana-token", begins: ["glsa_", "glc_"], form: /gl(?:sa|c)_[A-Za-z0-9+/=_]{30,}/y },
  { label: "vault-token", begins: ["hvs.", "hvb.", "hvr."], form: /hv[sbr]\.[A-Za-z0-9_-]{20,}/y },
  { label: "1password-token", begins: ["ops_eyJ"], form: /ops_eyJ[A-Za-z0-9_=-]{100,}/y },
  { label: "age-key", begins: ["AGE-SECRET-KEY-1"], form: /AGE-SECRET-KEY-1[0-9A-Z]{40,}/y },
  { label: "telegram-token", begins: [":AA"], form: /:AA[A-Za-z0-9_-]{33,}/y },
  // At most one of these begins in a run of its characters (see `boundaryBefore`), so the open lengths stay linear.
  {
    label: "jwt",
    begins: ["eyJ"],
    form: /eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+){0,2}/y
  }
]

/** The names under which these patterns report. */
export const tokenLabels: ReadonlyArray<string> = tokenPatterns.map(({ label }) => label)

/** The text as a pattern that matches just it. */
export const escapeForRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")

/** Longer beginnings first: the first alternative wins. */
const beginnings = tokenPatterns
  .flatMap((pattern) => pattern.begins.map((begin) => [begin, pattern] as const))
  .sort(([a], [b]) => b.length - a.length)

const patternOf: ReadonlyMap<string, TokenPattern> = new Map(beginnings)

const anchor = new RegExp(beginnings.map(([begin]) => escapeForRegExp(begin)).join("|"), "g")

/** Adds every token that is known by its form. */
export const findTokens = (text: string, found: Array<Span>): void => {
  anchor.lastIndex = 0
  for (let hit = anchor.exec(text); hit !== null; hit = anchor.exec(text)) {
    const [begin] = hit
    const pattern = patternOf.get(begin)
    if (pattern === undefined || !boundaryBefore(text, hit.index, pattern)) continue
    const end = matchAt(text, hit.index, pattern.form)
    if (end === null) continue
    const start = pattern.label === "telegram-token" ? botNumberStart(text, hit.index) : hit.index
    if (start === null) continue
    found.push({ start, end, label: pattern.label })
    anchor.lastIndex = end
  }
}

const matchAt = (text: string, index: number, form: RegExp): number | null => {
  form.lastIndex = index
  return form.test(text) ? form.lastIndex : null
}

/** The number before the colon of a Telegram bot's token; without one it is none. */
const botNumberStart = (text: string, colon: number): number | null => {
  let start = colon
  while (start > 0 && colon - start < 12 && isDigit(text.charCodeAt(start - 1))) start--
  return colon - start >= 8 ? start : null
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39

/**
 * Whether a token may begin here: not in the middle of a word (base64 holds every short beginning by chance), but right
 * after an escape such as `\n`, `\u001b`, `%0A`, as in raw JSON.
 */
const boundaryBefore = (text: string, index: number, { label }: TokenPattern): boolean => {
  if (index === 0 || label === "telegram-token") return true
  const before = text.charCodeAt(index - 1)
  if (label === "jwt" && (before === 0x2d || before === 0x5f)) return false
  return !isWordUnit(before) || endsEscape(text, index)
}

/** Letters, digits, and the `+` of base64; `/`, `=`, `_` and `-` end a path's or a name's part. */
const isWordUnit = (unit: number): boolean =>
  isDigit(unit) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || unit === 0x2b

const escapeTail = /(?:\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2})$/

/** Whether an escape of JSON, a program's text or a URL ends right before the index. */
export const endsEscape = (text: string, index: number): boolean =>
  escapeTail.test(text.slice(Math.max(0, index - 6), index))
