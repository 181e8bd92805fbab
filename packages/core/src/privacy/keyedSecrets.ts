/**
 * Secrets that are known by what stands before them: assignments in code, configuration, JSON and shells, command-line
 * flags, HTTP headers, URLs with a password. Text may be JSON inside JSON: quotes may carry backslashes.
 */
import { isRealValue, type KeyedValue } from "./realValue.js"
import { isReplacement, type Span } from "./Span.js"

/** Where a name may be telling. Plain words only: this runs over every text, and the rest over what it finds. */
const hint = /pass|pwd|secret|token|credential|authorization|bearer|cookie|key|[?&][a-z-]{3,20}=/gi

/** Names that only speak about a secret. */
const harmlessTail =
  /^(?:s?[_.-]?(?:name|names|id|ids|type|types|path|file|dir|url|uri|count|counts|limit|limits|budget|length|len|size|max|min|ttl|exp|expiry|expires|expires_at|expires_in|expiration|created|updated|format|header|field|env|var|prefix|suffix|usage|usages|class|error|errors|policy|ref|keyref|manager|provider|store|kind|version|algorithm|alg|mode|hint|label|index|key_?id|required|rules?|field|input|prompt|help|source|status|used|per_.*|cost|window)|(?:Name|Names|Id|Ids|Type|Types|Path|File|Dir|Url|Uri|Count|Limit|Budget|Length|Size|Ttl|Expiry|Expires|ExpiresAt|ExpiresIn|Format|Header|Field|Env|Var|Prefix|Suffix|Usage|Class|Error|Policy|Ref|KeyRef|Manager|Provider|Store|Kind|Version|Algorithm|Mode|Hint|Label|Index|Required|Input|Prompt|Help|Source|Status|Used))$/

const passwordName = /pass|pwd/i

/** What stands between the name and its value. */
const assignmentMark =
  /([A-Za-z0-9_.-]{0,40})\\{0,3}["'`]?\]?[ \t]{0,8}(?::[ \t]{0,4}[A-Za-z]{1,20}[ \t]{0,4}=|=>|:=|={1,3}|:)[ \t]{0,8}/y
const flagMark = /([A-Za-z0-9_.-]{0,40})(?:\\{0,3}["'`],?[ \t\n]{0,4}|[ \t]{1,8}|=)/y
const elementMark = /([A-Za-z0-9_.-]{0,40})>/y

/** Adds every secret that is known by its surroundings. */
export const findKeyed = (text: string, found: Array<Span>): void => {
  findTelling(text, found)
  if (text.includes("://")) findUrlPasswords(text, found)
  if (text.includes("-u") || text.includes("--user") || text.includes("sshpass")) findFlagPasswords(text, found)
}

const findTelling = (text: string, found: Array<Span>): void => {
  hint.lastIndex = 0
  for (let hit = hint.exec(text); hit !== null; hit = hint.exec(text)) {
    const span = spanAt(text, hit[0].toLowerCase(), hit.index)
    if (span === null) continue
    found.push(span)
    hint.lastIndex = Math.max(hint.lastIndex, span.end)
  }
}

const spanAt = (text: string, word: string, start: number): Span | null => {
  const end = start + word.length
  switch (word) {
    case "authorization":
      return authorization(text, end)
    case "bearer":
      return bearer(text, start, end)
    case "cookie":
      return cookie(text, end)
    case "pass": {
      const rest = matchAt(/w(?:or)?d|phrase|code/iy, text, end)?.[0].length ?? 0
      const alone = /[_-]/.test(text.charAt(start - 1)) && !isNameUnit(text.charCodeAt(end))
      return rest > 0 || alone ? keyed(text, start, end + rest) : null
    }
    case "pwd":
      return isLowerCase(text.charCodeAt(start - 1)) || isLowerCase(text.charCodeAt(end))
        ? null
        : keyed(text, start, end)
    case "token":
      // Tokenizers and counts of tokens are no secrets.
      return matchAt(/i[sz]|s(?![a-z])/iy, text, end) === null ? keyed(text, start, end) : null
    case "key":
      return isTellingKey(text, start, end) ? keyed(text, start, end) : null
  }
  if (word.endsWith("=")) return signedQuery.has(word.slice(1, -1)) ? queryValue(text, end) : null
  return keyed(text, start, end)
}

const isLowerCase = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a

const signedQuery: ReadonlySet<string> = new Set([
  "sig",
  "signature",
  "x-amz-signature",
  "x-goog-signature",
  "hmac",
  "key",
  "auth",
  "code"
])

const keyKinds =
  /(?:api|access|private|auth|account|encryption|signing|master|shared|storage|service|subscription|deploy|license|app|bot|webhook|admin)[_.-]?$/i

/** `api_key`, `AccountKey`; of other keys only those that an environment variable holds. */
const isTellingKey = (text: string, start: number, end: number): boolean =>
  keyKinds.test(text.slice(Math.max(0, start - 14), start)) ||
  (text.slice(start - 1, end) === "_KEY" &&
    matchAt(/["']?[=:]/y, text, end) !== null &&
    /[A-Z0-9]/.test(text.charAt(start - 2)))

const keyed = (text: string, start: number, end: number): Span | null => {
  const nameStart = startOfName(text, start)
  const flag = text.charCodeAt(nameStart) === 0x2d
  const element = text.charCodeAt(nameStart - 1) === 0x3c
  const mark =
    matchAt(assignmentMark, text, end) ??
    (flag ? matchAt(flagMark, text, end) : null) ??
    (element ? matchAt(elementMark, text, end) : null)
  if (mark === null) return null
  const tail = mark[1] ?? ""
  if (harmlessTail.test(tail)) return null
  const name = text.slice(nameStart, end) + tail
  const after = end + mark[0].length
  const value = valueAt(text, after)
  if (element && text.charCodeAt(value.end) !== 0x3c) return null
  // A comparison with something that is not written out.
  if (mark[0].includes("==") && !value.quoted) return null
  const kind = passwordName.test(name) ? "password" : "secret"
  const tight = flag || element || mark[0].endsWith("=") || /["'`\]][ \t]*[:=]/.test(mark[0])
  return judge(text, value, kind, tight ? "tight" : "loose")
}

const judge = (
  text: string,
  value: Value,
  kind: KeyedValue["kind"],
  assignment: KeyedValue["assignment"]
): Span | null => {
  if (value.end <= value.start || (assignment === "tight" && !value.quoted && text.charCodeAt(value.start) === 0x2d))
    return null
  const judged = { value: text.slice(value.start, value.end), kind, quoted: value.quoted, assignment }
  return isRealValue(judged) ? { start: value.start, end: value.end, label: kind } : null
}

const matchAt = (pattern: RegExp, text: string, index: number): RegExpExecArray | null => {
  pattern.lastIndex = index
  return pattern.exec(text)
}

const isNameUnit = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x61 && unit <= 0x7a) ||
  unit === 0x5f ||
  unit === 0x2d

const startOfName = (text: string, index: number): number => {
  let start = index
  while (start > 0 && index - start < 48 && isNameUnit(text.charCodeAt(start - 1))) start--
  return start
}

interface Value {
  readonly start: number
  readonly end: number
  readonly quoted: boolean
}

/** A quoted value ends on its line and within this many characters, or its quote was none. */
const longestQuoted = 4096

/** The value that begins at an index: what is in the quotes there, or up to where a bare word ends. */
const valueAt = (text: string, index: number): Value => {
  let start = index
  while (start - index < 3 && text.charCodeAt(start) === 0x5c) start++
  const quote = text.charCodeAt(start)
  if (quote === 0x22 || quote === 0x27 || quote === 0x60) {
    const end = closingQuote(text, start + 1, quote, start - index)
    if (end !== null) return { start: start + 1, end, quoted: true }
    return { start: start + 1, end: endOfWord(text, start + 1), quoted: false }
  }
  return { start: index, end: endOfWord(text, index), quoted: false }
}

/** The end of the value before the quote that closes it, which carries as many backslashes as the one that opened it. */
const closingQuote = (text: string, start: number, quote: number, slashes: number): number | null => {
  const limit = Math.min(text.length, start + longestQuoted)
  let run = 0
  for (let index = start; index < limit; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 0x0a) return null
    if (unit === 0x5c) {
      run++
      continue
    }
    if (unit === quote && (run === slashes || (slashes === 0 && run % 2 === 0)))
      return index - (slashes === 0 ? 0 : run)
    // Fewer backslashes than the opening quote: the text around it ends here.
    if (unit === 0x22 && slashes > 0 && run < slashes) return null
    run = 0
  }
  return null
}

/** The end of a bare value: white space, a quote, a separator of lists or shells, or an escaped one of these. */
const endOfWord = (text: string, start: number): number => {
  let index = start
  for (; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit <= 0x20 || unit === 0x22 || unit === 0x27 || unit === 0x60) break
    if (unit === 0x2c || unit === 0x3b || unit === 0x26 || unit === 0x7c || unit === 0x3c || unit === 0x3e) break
    if (unit === 0x5c) {
      if (/["'`nrtbf/]/.test(text.charAt(index + 1)) || index + 1 >= text.length) break
      index++
    }
  }
  while (
    index > start &&
    /[)\]}.:]/.test(text.charAt(index - 1)) &&
    !isReplacement(text.slice(Math.max(start, index - 96), index))
  )
    index--
  return Math.min(index, text.length)
}

const headerMark = /\\{0,3}["'`]?\]?[ \t]{0,8}[:=,][ \t]{0,8}\\{0,3}["'`]?/y
const scheme = /(?:bearer|basic|token|negotiate|apikey|api-key|key)[ \t]{1,8}/iy
/** The scheme of signed requests has a list of parameters, up to the end of the header. */
const signedRequest = /aws4-hmac-sha256[ \t]{1,8}(?=[A-Za-z]{1,20}=)/iy

const authorization = (text: string, end: number): Span | null => {
  const mark = matchAt(headerMark, text, end)
  if (mark === null) return null
  const start = end + mark[0].length
  const signed = matchAt(signedRequest, text, start)
  if (signed !== null) {
    const parameters = start + signed[0].length
    return { start: parameters, end: endOfHeader(text, parameters), label: "authorization" }
  }
  const named = matchAt(scheme, text, start)
  const value = start + (named?.[0].length ?? 0)
  return credential(text, value, endOfWord(text, value), named !== null)
}

const bearer = (text: string, start: number, end: number): Span | null => {
  if (start > 0 && isNameUnit(text.charCodeAt(start - 1))) return null
  const space = matchAt(/[ \t]{1,4}/y, text, end)
  if (space === null) return null
  const value = end + space[0].length
  return credential(text, value, endOfWord(text, value), false)
}

/** A credential after a scheme; `sure`: the header was named too, so that it need not look random. */
const credential = (text: string, start: number, end: number, sure: boolean): Span | null => {
  const value = text.slice(start, end)
  const kind = sure && value.length >= 8 && /[\d+/=A-Z]/.test(value) ? "password" : "secret"
  if (!isRealValue({ value, kind, quoted: false, assignment: "tight" })) return null
  if (/^[A-Z]+(?:_[A-Z]+)+$/.test(value)) return null
  return { start, end, label: "authorization" }
}

/** What is left of a header's line, or of the string that holds it. */
const headerRest = /[^"'`\n\\]{0,1024}/y

const endOfHeader = (text: string, start: number): number => start + (matchAt(headerRest, text, start)?.[0].length ?? 0)

const cookie = (text: string, end: number): Span | null => {
  const mark = matchAt(headerMark, text, end)
  if (mark === null) return null
  const start = end + mark[0].length
  const [pair, value = ""] = matchAt(cookiePair, text, start) ?? []
  if (pair === undefined || isReplacement(value)) return null
  return { start, end: endOfHeader(text, start), label: "cookie" }
}

const cookiePair = /[\w.-]{1,64}=([^\s;"'`\\]{8,})/y

const queryEnd = /[^?&#\s"'`<>\\]{0,4096}/y

const queryValue = (text: string, start: number): Span | null => {
  const value = matchAt(queryEnd, text, start)?.[0] ?? ""
  return value.length >= 16 && /\d/.test(value) && !isReplacement(value)
    ? { start, end: start + value.length, label: "signature" }
    : null
}

const user = "(?:\\[redacted:[A-Za-z0-9_.-]{1,80}\\]|[^\\s:@/?#\"'`<>\\\\[\\]]){0,200}"
const urlPassword = new RegExp(`://(${user}:)([^\\s/?#"'\`<>\\\\]{1,300})@`, "g")
/** Passwords of these often hold a `/`, `?` or `#` that nobody encoded. */
const databasePassword = new RegExp(
  `\\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse|s?ftps?|smtps?|ldaps?)(://${user}:)([^\\s"'\`<>\\\\]{1,300})@(?=[A-Za-z0-9[])`,
  "gi"
)
const urlToken = /:\/\/([A-Za-z0-9_.~+=-]{20,200})@/g

const findUrlPasswords = (text: string, found: Array<Span>): void => {
  for (const hit of text.matchAll(urlPassword)) {
    const start = hit.index + 3 + (hit[1]?.length ?? 0)
    addUrlPart(found, start, hit[2] ?? "", "url-password")
  }
  for (const hit of text.matchAll(databasePassword)) {
    const value = hit[2] ?? ""
    if (/^\d{1,5}(?:[/?#]|$)/.test(value)) continue
    addUrlPart(found, hit.index + hit[0].length - 1 - value.length, value, "url-password")
  }
  for (const hit of text.matchAll(urlToken)) {
    const value = hit[1] ?? ""
    if (/\d/.test(value) && /[A-Za-z]/.test(value)) addUrlPart(found, hit.index + 3, value, "url-token")
  }
}

const addUrlPart = (found: Array<Span>, start: number, value: string, label: string): void => {
  if (isReplacement(value) || /^(?:\$\{?\w+\}?|\{\{?[\w. ]+\}?\}|%[sv]|\*+|\.\.\.)$/.test(value)) return
  found.push({ start, end: start + value.length, label })
}

const userFlag = /(?<![\w-])(?:-u|--user)[ \t=]{1,4}\\{0,3}["']?[\w.@-]{1,64}:(?!:)([^\s"'\\]{4,200})/g
const sshpass = /\bsshpass[ \t]{1,4}-p[ \t]{0,4}\\{0,3}["']?([^\s"'\\]{4,200})/g

const findFlagPasswords = (text: string, found: Array<Span>): void => {
  for (const pattern of [userFlag, sshpass]) {
    for (const hit of text.matchAll(pattern)) {
      const value = hit[1] ?? ""
      if (/^\d+$/.test(value)) continue
      const judged: KeyedValue = { value, kind: "password", quoted: false, assignment: "tight" }
      const end = hit.index + hit[0].length
      if (isRealValue(judged)) found.push({ start: end - value.length, end, label: "password" })
    }
  }
}
