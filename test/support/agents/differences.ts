/** What a real program did, held against what its provider declares of it. Pure. */

/** Facts that a run of the real program shows; named as `providers list` names them. */
export interface Observed {
  readonly continuation: string
  readonly id_assignment: string
  readonly id_known: string
  readonly fork: boolean
  readonly survives_kill: boolean
  readonly prompt_channel: string
  readonly reports_model: boolean
}

export type DeclaredFacts = Observed & { readonly verified_with: string }

/** The program that was run, and the version that it says it has. */
export interface Ran {
  readonly provider: string
  readonly version: string
}

/** Each difference in a sentence that names the version; none: the declaration holds. */
export const differences = (
  { provider, version }: Ran,
  declared: DeclaredFacts,
  observed: Partial<Observed>
): ReadonlyArray<string> => [
  ...(declared.verified_with.split(", ").some((name) => name.split(" ").at(-1) === version)
    ? []
    : [`${provider} ${version} was run, and its declaration was verified with ${declared.verified_with}`]),
  ...(Object.keys(observed) as ReadonlyArray<keyof Observed>).flatMap((fact) =>
    declared[fact] === observed[fact]
      ? []
      : [`${provider} ${version}: ${fact} is ${observed[fact]}, and declared as ${declared[fact]}`]
  )
]
