/** Which provider does a run: named, configured, or the only one that is installed. Pure. */
export interface ChoiceFacts {
  /** `--provider`. */
  readonly flag: string | null
  /** `run.provider`. */
  readonly configured: string | null
  /** Installed ones by id, the demo agent left out: it works only by name, or a yes. */
  readonly installed: ReadonlyArray<string>
  /** A question may be asked. */
  readonly interactive: boolean
}

export type Choice =
  | { readonly _tag: "Chosen"; readonly provider: string }
  /** Several would do. */
  | { readonly _tag: "AskWhich"; readonly among: ReadonlyArray<string> }
  /** None is installed: whether the demo agent should do it. */
  | { readonly _tag: "AskDemo" }
  | { readonly _tag: "Several"; readonly among: ReadonlyArray<string> }
  | { readonly _tag: "None" }

export const chooseProvider = ({ configured, flag, installed, interactive }: ChoiceFacts): Choice => {
  const named = flag ?? configured
  if (named !== null) return { _tag: "Chosen", provider: named }
  const [only, ...others] = installed
  if (only !== undefined && others.length === 0) return { _tag: "Chosen", provider: only }
  if (only === undefined) return interactive ? { _tag: "AskDemo" } : { _tag: "None" }
  return interactive ? { _tag: "AskWhich", among: installed } : { _tag: "Several", among: installed }
}
