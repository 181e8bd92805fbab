/** Which values of an environment are credentials: those are removed from every text, whatever their form. */
export interface KnownSecret {
  /** The value as it may stand in a text: raw, JSON-escaped, percent-encoded, or one line of it. */
  readonly value: string
  /** The variable's name, which is no secret. */
  readonly label: string
  /** The value is one plain word: only whole words are replaced. */
  readonly word: boolean
}

/** Shorter values are found in ordinary text too often. */
const shortest = 8

const credentialName =
  /(?:^|_)(?:TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASSCODE|PASS|PWD|PW|CREDENTIALS?|CREDS|AUTH|AUTHORIZATION|BEARER|COOKIE|JWT|PAT|DSN|SALT|PEPPER|MNEMONIC|APIKEY|KEY|KEYS)(?:$|_)|(?:TOKEN|SECRET|PASSWORD|PASSWD|APIKEY|ACCESSKEY|PRIVATEKEY)(?:$|_)|CONNECTION_?STRING/

/** Names that end in what describes a credential, or where it is. */
const descriptiveName =
  /_(?:PATH|FILE|FILES|DIR|HOME|ROOT|NAME|NAMES|USER|USERNAME|HOST|PORT|TYPE|KIND|LIMIT|COUNT|MAX|MIN|LENGTH|SIZE|TTL|EXPIRY|EXPIRES|EXPIRES_AT|EXPIRES_IN|EXPIRATION|COMMAND|CMD|HELPER|PROVIDER|SOCK|SOCKET|ALGORITHM|ALG|MODE|METHOD|FORMAT|HEADER|PREFIX|ENABLED|DISABLED|REQUIRED|VERSION|REGION|BUNDLE|CERT|CA)$/

const trivialValue =
  /^(?:true|false|enabled|disabled|required|optional|undefined|password|passw0rd|changeme|change[-_]me|unknown|default|example|placeholder|production|development|staging|localhost|keyboard|basic|bearer|anonymous|username|unlimited|interactive|redacted|nothing)$/i

/** Whether a variable of this name holds a credential. */
export const isCredentialName = (name: string): boolean => {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[-.]/g, "_")
    .toUpperCase()
  return credentialName.test(words) && !descriptiveName.test(words) && words !== "PWD" && words !== "OLDPWD"
}

/** Whether a value can be looked for without making ordinary text unreadable. */
const isUsable = (value: string): boolean =>
  value.length >= shortest &&
  !trivialValue.test(value) &&
  !/^[\d.,:+_-]+$/.test(value) &&
  !/^(.)\1*$/.test(value) &&
  !"[redacted:".includes(value) &&
  !isPath(value) &&
  !/^[a-z][a-z0-9+.-]*:\/\/[^\s@]*$/i.test(value)

const isPath = (value: string): boolean =>
  /^(?:~|\.{1,2})?\/|^[A-Za-z]:\\/.test(value) && !/[A-Za-z0-9+=]{24,}/.test(value)

const urlPassword = /:\/\/[^\s:@/?#]{0,200}:([^\s@/?#]{1,300})@/

/**
 * The values to look for, longest first. In: names and values of an environment. A value that spans lines is looked for
 * line by line too, since output is read so; of a URL only the password counts.
 */
export const environmentSecrets = (
  environment: Readonly<Record<string, string | undefined>>
): ReadonlyArray<KnownSecret> => {
  const found = new Map<string, KnownSecret>()
  const add = (value: string, label: string) => {
    for (const form of [value, JSON.stringify(value).slice(1, -1), encoded(value)]) {
      if (isUsable(form) && !found.has(form))
        found.set(form, { value: form, label, word: /^\w+$/.test(form) && !/\d/.test(form) })
    }
  }
  for (const [name, raw] of Object.entries(environment)) {
    const value = raw?.trim()
    if (value === undefined || value.length < shortest) continue
    const label = /^\w{1,64}$/.test(name) ? name : "environment"
    const password = urlPassword.exec(value)?.[1]
    if (password !== undefined) add(password, label)
    if (!isCredentialName(name)) continue
    add(value, label)
    if (!value.includes("\n")) continue
    for (const line of value.split(/\r?\n/)) {
      const content = line.trim()
      if (/^\S{16,}$/.test(content) && !content.startsWith("-----") && /\d/.test(content)) add(content, label)
    }
  }
  return [...found.values()].sort((a, b) => b.value.length - a.value.length)
}

const encoded = (value: string): string => {
  const wellFormed = value.toWellFormed()
  return encode(wellFormed)
}

/** Part of the language; named here because core compiles without any platform's types. */
const { encodeURIComponent: encode } = globalThis as unknown as {
  readonly encodeURIComponent: (text: string) => string
}
