/** One option of a command, as data: the command line, its help and the documentation are made from it. */

export type OptionSpec = {
  /** As commander writes it: `-m, --model <model>`. */
  readonly flags: string
  readonly help: string
  readonly hidden?: boolean
} & (
  | { readonly kind: "flag" | "text" | "list" | "pairs" | "duration" | "count" | "index" | "moment" }
  /** One of a closed list, or several of it with commas. */
  | { readonly kind: "choice" | "choices"; readonly choices: ReadonlyArray<string> }
)

/** The options of one invocation, read by name with the type that its kind has. */
export class Options {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }

  /** Whether a flag was given. */
  flag(name: string): boolean {
    return this.#values[name] === true
  }

  /** Whether a flag of the form `--no-NAME` was given. */
  refused(name: string): boolean {
    return this.#values[name] === false
  }

  text(name: string): string | null {
    const value = this.#values[name]
    return typeof value === "string" ? value : null
  }

  /** A duration or moment in ms, or a count. */
  number(name: string): number | null {
    const value = this.#values[name]
    return typeof value === "number" ? value : null
  }

  list(name: string): ReadonlyArray<string> {
    const value = this.#values[name]
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
  }

  pairs(name: string): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.list(name).map((pair) => {
        const at = pair.indexOf("=")
        return [pair.slice(0, at), pair.slice(at + 1)]
      })
    )
  }
}
