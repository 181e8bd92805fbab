import { describe, expect, test } from "@effect/vitest"
import fc from "fast-check"
import { environmentSecrets } from "./environmentSecrets.js"
import { fromEnvironment } from "./Redactor.js"
import { makeRedact } from "./redact.js"

/** Made-up keys in the forms of real ones, put together here so that no scanner takes this file for a leak. */
const letters = (count: number, seed = 1): string =>
  Array.from({ length: count }, (_, index) => "aB3cD4eF5gH6jK7mN8pQ9rS2tUvWxYz"[(index * 7 + seed * 5) % 31]).join("")
const upper = (count: number): string => "Q2W3E4R5T6Y7U2P3A4S5".repeat(3).slice(0, count)
const hex = (count: number): string => "3f786850e387550fdab836ed7e6dc881de23001b".repeat(4).slice(0, count)
const PRIVATE = ["PRIVATE", "KEY"].join(" ")
const pem = (kind = ""): string =>
  [
    `-----BEGIN ${kind}${PRIVATE}-----`,
    letters(64, 1),
    letters(64, 2),
    `${letters(22, 3)}==`,
    `-----END ${kind}${PRIVATE}-----`
  ].join("\n")

/** A text, and what may not be found in its redaction. */
const secrets: ReadonlyArray<readonly [name: string, text: string, secret: string, label: string]> = [
  ["anthropic", `key sk-ant-api03-${letters(95)}.`, `sk-ant-api03-${letters(95)}`, "anthropic-key"],
  ["anthropic, cut", `sk-ant-oat01-${letters(20)}`, letters(20), "anthropic-key"],
  ["openai project", `sk-proj-${letters(60)}`, letters(60), "openai-key"],
  ["openai old", `sk-${letters(48)}`, letters(48), "openai-key"],
  ["openrouter", `sk-or-v1-${hex(64)}`, hex(64), "openai-key"],
  ["github classic", `ghp_${letters(36)}`, letters(36), "github-token"],
  ["github server", `ghs_${letters(36)}`, letters(36), "github-token"],
  ["github fine", `github_pat_${letters(22)}_${letters(59)}`, letters(59), "github-token"],
  ["gitlab", `glpat-${letters(20)}`, letters(20), "gitlab-token"],
  ["aws key id", `AKIA${upper(16)}`, `AKIA${upper(16)}`, "aws-access-key"],
  ["aws session key id", `id=ASIA${upper(16)},`, `ASIA${upper(16)}`, "aws-access-key"],
  ["aws secret", `aws_secret_access_key = ${letters(20)}/${letters(19)}`, letters(19), "secret"],
  ["aws secret in json", `{"SecretAccessKey":"${letters(20)}+${letters(19)}"}`, letters(19), "secret"],
  ["google", `AIza${letters(35)}`, letters(35), "google-key"],
  ["slack", `xoxb-123456789012-${letters(24)}`, letters(24), "slack-token"],
  ["slack hook", `https://hooks.slack.com/services/T000/B000/${letters(24)}`, letters(24), "slack-webhook"],
  ["npm", `npm_${letters(36)}`, letters(36), "npm-token"],
  ["stripe", `sk_live_${letters(24)} rk_test_${letters(24)}`, letters(24), "stripe-key"],
  ["sendgrid", `SG.${letters(22)}.${letters(43)}`, letters(43), "sendgrid-key"],
  ["hugging face", `hf_${letters(34)}`, letters(34), "huggingface-token"],
  ["telegram", `bot 123456789:AA${letters(33)}`, letters(33), "telegram-token"],
  ["jwt", `eyJ${letters(20)}.eyJ${letters(40)}.${letters(43)}`, letters(43), "jwt"],
  ["private key", `x\n${pem()}\ny`, letters(64, 2), "private-key"],
  ["rsa private key, windows line ends", pem("RSA ").replaceAll("\n", "\r\n"), letters(64, 2), "private-key"],
  ["private key in json", JSON.stringify({ key: pem("EC ") }), letters(64, 2), "private-key"],
  ["private key on one line", pem("OPENSSH ").replaceAll("\n", " "), letters(64, 2), "private-key"],
  ["private key, its end cut off", pem().slice(0, 130), letters(64, 2).slice(0, 30), "private-key"],
  ["private key, its beginning cut off", pem().slice(50), letters(64, 2), "private-key"],
  [
    "private key, encrypted",
    pem().replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n").slice(0, 180),
    letters(64, 1),
    "private-key"
  ],
  ["bearer", `Authorization: Bearer ${letters(40)}`, letters(40), "authorization"],
  ["basic", "authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA", "authorization"],
  ["bearer in json", `{"Authorization":"Bearer ${letters(40)}"}`, letters(40), "authorization"],
  ["bearer in curl", `curl -H 'Authorization: Bearer ${letters(24)}' https://x.example`, letters(24), "authorization"],
  ["bearer alone", `used Bearer ${letters(24)} and failed`, letters(24), "authorization"],
  [
    "aws signature",
    `Authorization: AWS4-HMAC-SHA256 Credential=AKIA${upper(16)}/20260101/eu, Signature=${hex(64)}`,
    hex(64),
    "aws-access-key"
  ],
  ["api key header", `x-api-key: ${letters(32)}`, letters(32), "secret"],
  ["cookie", `Cookie: sid=${letters(24)}; theme=dark`, letters(24), "cookie"],
  ["database url", "postgres://u:PASS@h/db", "PASS", "url-password"],
  ["database url with odd password", `mongodb+srv://u:a/b#${letters(12)}@h.example/db`, letters(12), "url-password"],
  ["password with an at sign", `https://me:p@ss${letters(8)}@h.example/`, `ss${letters(8)}`, "url-password"],
  ["redis without user", `redis://:${letters(12)}@h:6379/0`, letters(12), "url-password"],
  ["token as user", `https://${letters(24)}@github.example/a/b.git`, letters(24), "url-token"],
  ["signed url", `https://s3.example/f?X-Amz-Expires=60&X-Amz-Signature=${hex(64)}`, hex(64), "signature"],
  ["password assignment", "password=hunter2", "hunter2", "password"],
  ["password in shell", "export DB_PASSWORD='correct-horse'", "correct-horse", "password"],
  ["password in json", '{"password":"hunter"}', "hunter", "password"],
  ["password in json in json", JSON.stringify(JSON.stringify({ password: "hunter22", b: 1 })), "hunter22", "password"],
  ["password in yaml", "db_password: Tr0ub4dor", "Tr0ub4dor", "password"],
  ["password in code", 'const password: string = "s3cretpw"', "s3cretpw", "password"],
  ["password in xml", "<password>hunter22</password>", "hunter22", "password"],
  ["api key in json", `{"api_key": "${letters(32)}"}`, letters(32), "secret"],
  ["api key in yaml", `api_key: ${letters(24)}`, letters(24), "secret"],
  ["api key in environment", `SERVICE_API_KEY=${letters(24)}`, letters(24), "secret"],
  ["other key in environment", `CLOUD_KEY=${hex(32)}`, hex(32), "secret"],
  ["azure", `AccountName=a;AccountKey=${letters(60)}==;EndpointSuffix=x`, letters(60), "secret"],
  ["client secret", `clientSecret: "${letters(24)}"`, letters(24), "secret"],
  ["flag", `tool --api-key ${letters(20)} run`, letters(20), "secret"],
  ["flag with equals", `tool --token=${letters(20)}`, letters(20), "secret"],
  ["flag in an argument list", `["tool","--auth-token","${letters(20)}","run"]`, letters(20), "secret"],
  ["flag with a password", "tool --password letmein1 -v", "letmein1", "password"],
  ["curl user", "curl -u admin:s3cr3tpw https://x.example", "s3cr3tpw", "password"],
  [
    "after a written line end",
    JSON.stringify({ text: `keys:\nghp_${letters(36)}\tsk-ant-api03-${letters(40)}` }),
    letters(36),
    "github-token"
  ],
  ["percent-encoded", `q=%0Aghp_${letters(36)}`, letters(36), "github-token"],
  ["in a path", `/home/u/work-ghp_${letters(36)}/x`, letters(36), "github-token"]
]

/** What must stay readable. */
const harmless: ReadonlyArray<string> = [
  "pip install sk-learn sk-learn-contrib-extras-for-pandas",
  "risk-analysis-2024-10-10-final-report disk-encryption",
  "commit 3f786850e387550fdab836ed7e6dc881de23001b",
  "id 6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
  "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "integrity sha512-1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f==",
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "/home/u/.config/tokens/secret.json",
  "ckpt_7k3m9x2qw4t1 ses_7k3m9x2qw4t1",
  "max_tokens: 4096, input_tokens=123456, tokenizer: cl100k_base",
  "the password must be at least 8 characters long",
  "Password: incorrect, token: expired. secret: unknown",
  "const token = getToken(request)",
  "const password = process.env.DB_PASSWORD2",
  "password: string, token: Uint8Array, secret: SecretV2Type",
  'api_key=os.environ["KEY1"]',
  "token=$GITHUB_TOKEN password=$" + "{PASSWORD} --token <token>",
  "Authorization: Bearer <token>",
  "Authorization: Bearer $TOKEN",
  "Bearer authentication is required",
  "set the cookie: yes",
  "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
  "https://example.com:8080/path@v2 http://localhost:3000 git@github.com:a/b.git",
  "secretName: db2-creds-prod",
  "--token-limit 5000 --password-file /run/x",
  "user -u 1000:1000",
  "import { secretKey1 } from './secret1.js'",
  "npm_config_registry npm_package_json hf_hub_download",
  "password=[redacted:password]"
]

const redact = makeRedact()

describe("makeRedact", () => {
  test.each(secrets)("finds: %s", (_, text, secret, label) => {
    const result = redact(text)
    expect(result).not.toContain(secret)
    expect(result).toContain(`[redacted:${label}]`)
    expect(redact(result)).toBe(result)
  })

  test.each(harmless)("leaves: %s", (text) => {
    expect(redact(text)).toBe(text)
  })

  test("keeps what stands around a secret", () => {
    expect(redact(`a postgres://me:pw@h:5432/db b`)).toBe("a postgres://me:[redacted:url-password]@h:5432/db b")
    expect(redact(`{"password":"hunter22","user":"me"}`)).toBe('{"password":"[redacted:password]","user":"me"}')
    expect(redact(`x\n${pem()}\ny`)).toBe("x\n[redacted:private-key]\ny")
    expect(redact(`Authorization: Bearer ${letters(40)}\nnext`)).toBe(
      "Authorization: Bearer [redacted:authorization]\nnext"
    )
  })

  test("text after a private key that was cut is kept", () => {
    expect(redact(`${pem().slice(0, 130)}\nand then it failed.`)).toBe("[redacted:private-key]\nand then it failed.")
  })

  describe("sees what a reader sees", () => {
    const key = `ghp_${letters(36)}`
    const half = (middle: string): string => `a ${key.slice(0, 20)}${middle}${key.slice(20)} b`
    test.each([
      ["a colour", half("\u001b[31m")],
      ["an 8-bit colour", half("\u009b31m")],
      ["a colour as JSON writes it", half("\\u001b[31m")],
      ["a link", half("\u001b]8;;https://x.example\u0007")],
      ["a zero-width space", half("\u200b")],
      ["a NUL", half("\u0000")],
      ["a backspace", half("\b")]
    ])("a key with %s in its middle", (_, text) => {
      const result = redact(text)
      expect(result).toBe("a [redacted:github-token] b")
    })

    test("a key inside a title that a terminal would not show", () => {
      expect(redact(`\u001b]0;${key}\u0007x`)).not.toContain(key)
      expect(redact(`\u001b]0;${half("\u001b[0m")}`)).not.toContain(key.slice(20))
    })

    test("colours elsewhere stay", () => {
      expect(redact(`\u001b[31m${key}\u001b[0m \u001b[1mok\u001b[0m`)).toBe(
        "\u001b[31m[redacted:github-token]\u001b[0m \u001b[1mok\u001b[0m"
      )
    })
  })

  test("finds secrets anywhere in a long text, at the seams of its windows too", () => {
    const key = `sk-ant-api03-${letters(95)}`
    for (const filler of ["word ", "x", "0a1B"]) {
      const pad = filler.repeat(70_000 / filler.length)
      for (const shift of [0, 40, 4096, 65_000, 65_480, 65_536, 69_632, 69_700]) {
        const text = `${pad.slice(0, shift)} ${key} ${pad.slice(0, 90_000 - shift)}`
        expect(redact(text)).toBe(text.replace(key, "[redacted:anthropic-key]"))
      }
    }
  })

  test("finds a secret that is longer than a window", () => {
    const result = redact(`password="${letters(4000)}" ghp_${letters(200_000)} end`)
    expect(result).toBe('password="[redacted:password]" [redacted:github-token] end')
  })

  const snippets = fc.oneof(
    fc.constantFrom(...secrets.map(([, text]) => text)),
    fc.constantFrom(...harmless),
    fc.constantFrom(
      "password=",
      "token: ",
      "Bearer ",
      "://a:",
      "@",
      '"',
      "\\",
      "\n",
      "\u001b[31m",
      "-----",
      "[redacted:",
      "]",
      "sk-",
      "ghp_",
      "eyJ",
      " "
    ),
    fc.string({ unit: "binary", maxLength: 12 })
  )
  const mixtures = fc.array(snippets, { maxLength: 12 }).map((parts) => parts.join(""))

  test("redacting twice is redacting once", () => {
    fc.assert(
      fc.property(mixtures, (text) => {
        const once = redact(text)
        expect(redact(once)).toBe(once)
      }),
      { numRuns: 2000 }
    )
  })

  test("JSON stays JSON, in any depth of escaping", () => {
    fc.assert(
      fc.property(mixtures, fc.integer({ min: 1, max: 3 }), (text, depth) => {
        let json = text.toWellFormed()
        for (let level = 0; level < depth; level++) json = JSON.stringify({ text: json, n: 1 })
        expect(JSON.parse(redact(json))).toMatchObject({ n: 1 })
      }),
      { numRuns: 2000 }
    )
  })

  test("a secret between spaces is found whatever stands around it", () => {
    fc.assert(
      fc.property(fc.constantFrom(...secrets), mixtures, mixtures, ([, text, secret], before, after) => {
        fc.pre(!`${before}${after}`.includes(secret))
        expect(redact(`${before}"\n ${text} \n${after}`)).not.toContain(secret)
      }),
      { numRuns: 2000 }
    )
  })

  test("takes time in proportion to the text, whatever the text", () => {
    const hostile = [
      "eyJ",
      "eyJa.",
      "eyJaaaaaaaaaa.",
      "://a:",
      "://",
      "password=",
      'password="',
      "token: ",
      "authorization: ",
      "bearer ",
      "cookie: a=",
      "cookie: a=aaaaaaaa ",
      "authorization: digest ",
      "authorization: aws4-hmac-sha256 ",
      `-----BEGIN ${PRIVATE}-----`,
      `-----END ${PRIVATE}-----`,
      `-----BEGIN ${PRIVATE}-----\n`,
      "sk-",
      "sk-a-",
      "SG.aaaaaaaaaaaaaaaa",
      "AKIA",
      "ghp_",
      "\\",
      "\\u001b[",
      "\u001b[",
      "\u001b]",
      "\u200b",
      " ",
      "\n",
      "a",
      "0",
      "postgres://a:b",
      "--token ",
      "-u a:",
      "secret=>",
      "<token>",
      ":AA",
      "1",
      "?sig=",
      '\\"',
      'key\\\\\\"',
      "Aa1+/"
    ]
    const slow: Array<string> = []
    for (const piece of hostile) {
      for (const before of ["", `-----BEGIN ${PRIVATE}-----\n`, "password: "]) {
        const text = `${before}${piece.repeat(Math.ceil(100_000 / piece.length))}${before}`
        const started = Date.now()
        redact(text)
        const ms = Date.now() - started
        if (ms > slowMs) slow.push(`${JSON.stringify(before + piece)}: ${Math.round(ms)} ms`)
      }
    }
    expect(slow).toEqual([])
  })
})

describe("environmentSecrets", () => {
  const secretsOf = (environment: Record<string, string>) => environmentSecrets(environment).map(({ value }) => value)

  test.each([
    ["MY_SERVICE_TOKEN", "plainwordsonly.but-a-token"],
    ["GITHUB_TOKEN_2", "abcdefgh1"],
    ["apiKey", "abcdefgh1"],
    ["npm_config__authToken", "abcdefgh1"],
    ["DB_PASSWORD", "correct horse battery"],
    ["STRIPE_SECRET", "/a+bCdEfGh1JkLmNoPqRsTuVwXyZ012345/x"],
    ["SECRET_KEY_BASE", "abcdefgh1"],
    ["AZURE_CONNECTION_STRING", "a=b;c=d;e"]
  ])("%s is a credential", (name, value) => {
    expect(secretsOf({ [name]: value })).toContain(value)
  })

  test.each([
    ["PATH", "/usr/bin:/bin"],
    ["PWD", "/home/someone"],
    ["SSH_AUTH_SOCK", "/tmp/ssh-x/agent.1"],
    ["TOKEN_LIMIT", "abcdefgh1"],
    ["MAX_TOKENS", "20000000"],
    ["SSH_KEY_PATH", "/home/u/.ssh/id_rsa"],
    ["GIT_ASKPASS", "/usr/lib/git-core/git-gui--askpass"],
    ["TOKEN", "short"],
    ["AUTH_KEY", "production"],
    ["SECRET", "********"],
    ["KEYBOARD_LAYOUT", "us-international"],
    ["MONKEY", "capuchin-monkey"]
  ])("%s=%s is none", (name, value) => {
    expect(secretsOf({ [name]: value })).toEqual([])
  })

  test("of a URL the password counts, whatever the variable's name", () => {
    expect(secretsOf({ DATABASE_URL: "postgres://u:longpassword@h/db" })).toEqual(["longpassword"])
  })

  test("values are found raw, in JSON, percent-encoded, and line by line", () => {
    const value = `a"b\\c d/${letters(10)}`
    const { redact: clean } = fromEnvironment({ A_TOKEN: value, B_SECRET: `first ${letters(20)}\n${letters(30, 4)}` })
    expect(clean(`x ${value} y`)).toBe("x [redacted:A_TOKEN] y")
    expect(clean(JSON.stringify({ t: value }))).toBe('{"t":"[redacted:A_TOKEN]"}')
    expect(clean(`?q=${encodeURIComponent(value)}`)).toBe("?q=[redacted:A_TOKEN]")
    expect(clean(`line ${letters(30, 4)}`)).toBe("line [redacted:B_SECRET]")
  })

  test("a value that is one plain word is replaced as a word only", () => {
    const { redact: clean } = fromEnvironment({ A_PASSWORD: "internal" })
    expect(clean("internal, internally, an internal")).toBe(
      "[redacted:A_PASSWORD], internally, an [redacted:A_PASSWORD]"
    )
  })

  test("redacting twice is redacting once, with any value", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("A_TOKEN", "PASSWORD", "redacted_KEY"),
          fc.string({ minLength: 8, maxLength: 20 })
        ),
        fc.array(fc.oneof(fc.string(), fc.constantFrom("[redacted:", "A_TOKEN", "redacted", "]")), { maxLength: 8 }),
        (environment, parts) => {
          const { redact: clean } = fromEnvironment(environment)
          const once = clean([...parts, ...Object.values(environment)].join(""))
          expect(clean(once)).toBe(once)
          for (const { value, word } of environmentSecrets(environment)) if (!word) expect(once).not.toContain(value)
        }
      ),
      { numRuns: 1000 }
    )
  })
})

/** For 100,000 characters on a busy machine; what grows with the square takes minutes. */
const slowMs = 1000

/** Part of the language; core's tests compile without any platform's types. */
declare const encodeURIComponent: (text: string) => string
