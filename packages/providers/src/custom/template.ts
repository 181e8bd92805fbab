/**
 * A command line with places for what a run is told. Pure; there is no shell, and a value never becomes more than one
 * argument, nor is it looked at again for places of its own.
 */

/** An argument, or several that are left out together where a value of theirs is not given. */
export type Part = string | ReadonlyArray<string>

export const places = ["prompt", "session", "model", "thinking", "permission", "cwd"] as const
export type Place = (typeof places)[number]

/** `null`: not given; parts that name it are left out. */
export type Values = Readonly<Record<Place, string | null>>

const pattern = /\{(prompt|session|model|thinking|permission|cwd)\}/g

/** The places that a template names. */
export const placesIn = (template: ReadonlyArray<Part>): ReadonlySet<Place> => {
  const found = new Set<Place>()
  for (const argument of template.flat()) {
    for (const [, name] of argument.matchAll(pattern)) found.add(name as Place)
  }
  return found
}

/** The arguments, or why a value cannot be given to the program. */
export type Filled =
  | { readonly _tag: "Arguments"; readonly args: ReadonlyArray<string> }
  | { readonly _tag: "Refused"; readonly why: string }

/**
 * Fills a template in. `more`: further arguments, put before a `--`, else at the end. A value that begins with `-` would
 * be taken for an option; it is refused, except after an argument `--`.
 */
export const fill = (template: ReadonlyArray<Part>, values: Values, more: ReadonlyArray<string>): Filled => {
  const args: Array<string> = []
  let end: number | null = null
  for (const part of template) {
    const group = typeof part === "string" ? [part] : part
    if ([...placesIn(group)].some((place) => values[place] === null)) continue
    for (const argument of group) {
      const filled = argument.replace(pattern, (_, place: Place) => values[place] ?? "")
      if (end === null && argument.startsWith("{") && argument !== filled && filled.startsWith("-")) {
        return {
          _tag: "Refused",
          why: `"${filled.slice(0, 40)}" would be taken for an option: it begins with "-", and no "--" stands before ${argument} in the command`
        }
      }
      if (filled.includes("\0"))
        return { _tag: "Refused", why: `${argument} holds a character that no argument can hold` }
      if (end === null && argument === "--") end = args.length
      args.push(filled)
    }
  }
  args.splice(end ?? args.length, 0, ...more)
  return { _tag: "Arguments", args }
}
