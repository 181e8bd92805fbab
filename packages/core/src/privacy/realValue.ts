/**
 * Whether a value beside a telling name (`password=`, `--token`) is a secret, or a type, a variable, a placeholder, a
 * sentence, a path. A wrong yes makes a text unreadable, a wrong no leaks; names that can only mean a password get the
 * benefit of the doubt.
 */
import { isReplacement } from "./Span.js"

export interface KeyedValue {
  readonly value: string
  /** What the name promises. */
  readonly kind: "password" | "secret"
  /** Whether the value stood in quotes. */
  readonly quoted: boolean
  /** `tight`: as in `NAME=value`, a flag, a header; `loose`: as in prose, YAML or code. */
  readonly assignment: "tight" | "loose"
}

const placeholders =
  /^(?:(?:null|nil|none|undefined|true|false|yes|no|string|str|text|number|boolean|bool|any|object|bytes|required|optional|empty|unknown|hidden|secret|password|passwd|token|value|default|placeholder|example|changeme|change[_-]?me|redacted|removed|masked|enabled|disabled|invalid|missing|incorrect|expired|options?|flags?|arguments?|parameters?|instead|together|because|without|should|cannot|prompt|protected|protection|authentication|manager|reset)[.,;:!?)`'"]*|your[-_ ].*|<.*|\{\{?.*|\[\w*\]?|%\(?\w+\)?%?s?|\$\{.*|\$\(.*|\$[A-Z_][A-Z0-9_]*|\$[A-Za-z_]+|[*•x.…#_-]+)$/i

const references =
  /^(?:process\.env|import\.meta|os\.environ|os\.getenv|env|getenv|ENV|config|cfg|conf|settings|options|opts|args|argv|params|props|state|self|this|req|request|ctx|context|data|local|locals|var|vars|secrets|module|exports|result|response|res|user|input|form|field)(?:\??\.|\[|\(|::|->)/

const fileName =
  /\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|txt|pem|key|crt|env|ini|cfg|conf|sh|py|rb|go|rs|java|html?|css|lock|log|png|svg)$/i

/** Values longer than this are judged by their beginning. */
const judged = 256

export const isRealValue = ({ value: full, kind, quoted, assignment }: KeyedValue): boolean => {
  const value = full.slice(0, judged)
  if (placeholders.test(value) || isReplacement(full)) return false
  if (!quoted && (references.test(value) || /^[A-Za-z_$][\w$.]*[([]|^[([{]/.test(value))) return false
  if (isPath(value) || fileName.test(value) || /^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return false
  return kind === "password" ? isRealPassword(value, quoted, assignment) : isRealSecret(value, quoted, assignment)
}

const isRealPassword = (value: string, quoted: boolean, assignment: KeyedValue["assignment"]): boolean => {
  if (value.length < 6) return false
  if (/\s/.test(value)) return value.split(/\s+/).length <= 3 && /\d/.test(value)
  if (quoted || assignment === "tight") return true
  if (isDotted(value)) return digitsIn(value) >= 3
  // "password: wrong" is a sentence, "password: BinaryLike" a type; "password: Tr0ub4dor" is a password.
  return /\d/.test(value) || /[^\w.,;:!?)-]/.test(value)
}

const isRealSecret = (value: string, quoted: boolean, assignment: KeyedValue["assignment"]): boolean => {
  if (value.length < 8 || /\s/.test(value) || /^[\d.,:_+-]+$/.test(value)) return false
  // The name of another variable.
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)) return false
  if (!quoted && assignment === "loose" && /^[A-Za-z_$][\w$.?!+-]*[;,)]*$/.test(value)) return looksRandom(value)
  if (/\d/.test(value) && /[A-Za-z]/.test(value)) return true
  return (
    value.length >= 20 &&
    (quoted ? /^[A-Za-z]+$/.test(value) && !/^[A-Z]?[a-z]*(?:[A-Z][a-z]+)*$/.test(value) : changesIn(value) >= 8)
  )
}

/** `this.password`, `Kind.Name`: a reference in code. */
const isDotted = (value: string): boolean => /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+[;,)]*$/.test(value)

/** Letters and digits change often: an identifier such as `sha256Hex` or `Uint8Array` changes rarely. */
const looksRandom = (value: string): boolean => digitsIn(value) >= 3 && changesIn(value) >= (isDotted(value) ? 8 : 3)

const digitsIn = (value: string): number => value.replace(/\D/g, "").length

const changesIn = (value: string): number => {
  let changes = 0
  for (let index = 1; index < value.length; index++) {
    if (classOf(value.charCodeAt(index)) !== classOf(value.charCodeAt(index - 1))) changes++
  }
  return changes
}

const classOf = (unit: number): number =>
  unit >= 0x30 && unit <= 0x39 ? 0 : unit >= 0x41 && unit <= 0x5a ? 1 : unit >= 0x61 && unit <= 0x7a ? 2 : 3

/** A path of folders and names, as opposed to base64 that begins with a slash. */
const isPath = (value: string): boolean =>
  /^(?:~|\.{1,2})?[/\\]|^[A-Za-z]:\\/.test(value) && !/[A-Za-z0-9+]{24,}/.test(value)
