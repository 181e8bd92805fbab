/** The providers that the configuration describes, read; each that cannot be used is told, and hides none of the others. */
import { Configured } from "@alluka/providers"
import { similar } from "./arguments/similar.js"
import type { ConfigFault } from "./config/fault.js"
import { type Config, type DescribedProvider, entriesOf } from "./config/merge.js"

export interface Described {
  readonly providers: Configured.ProviderConfigs
  /** What is wrong with the providers that cannot be used, or are not there. */
  readonly faults: ReadonlyArray<ConfigFault>
}

/** Faults of one provider that are told. */
const most = 5

export const describedProviders = (config: Pick<Config, "described" | "files" | "settings">): Described => {
  const { described } = config
  const providers: Record<string, Configured.ProviderConfig> = {}
  const faults: Array<ConfigFault> = []
  for (const [id, provider] of described) {
    const read = Configured.readProviders({ [id]: provider.json })
    if (read._tag === "Right") Object.assign(providers, read.right)
    else faults.push(...read.left.slice(0, most).map((fault) => faultOf(id, provider, fault)))
  }
  return { providers, faults: [...faults, ...commandsOfNobody(config)] }
}

/** Programs that are named for providers of which there are none. */
const commandsOfNobody = ({
  described,
  files,
  settings
}: Pick<Config, "described" | "files" | "settings">): ReadonlyArray<ConfigFault> =>
  [...settings.values()].flatMap(({ key, origin }) => {
    const id = /^providers\.(.+)\.command$/.exec(key)?.[1]
    if (id === undefined || Configured.ownIds.includes(id) || described.has(id)) return []
    const file = files.find(({ path }) => path === origin.where)
    const entry = file === undefined ? undefined : entriesOf(file.json).findLast((each) => each.key === key)
    const meant = similar(id, [...Configured.ownIds, ...described.keys()])
    return [
      {
        where: origin.where ?? "",
        text: file?.text ?? null,
        keys: entry?.keys ?? [],
        about: "name",
        message: `there is no provider ${id}${meant === null ? "." : `; did you mean ${meant}?`} One of your own needs a "type"`
      }
    ]
  })

const faultOf = (
  id: string,
  { keys, origin, text }: DescribedProvider,
  fault: Configured.ProviderFault
): ConfigFault => {
  // The provider's own name stands in the file where its description does, maybe as `providers.NAME`.
  const within = fault.keys.slice(1)
  return {
    where: origin.where ?? "",
    text,
    keys: [...keys, ...within],
    about: fault.kind === "unknown" || within.length === 0 ? "name" : "value",
    message: `the provider "${id}" cannot be used: ${wordsFor(fault)}`
  }
}

const wordsFor = ({ keys, kind, known, message }: Configured.ProviderFault): string => {
  const name = keys.slice(1).join(".") || String(keys[0])
  if (kind !== "unknown") return `${name} ${/^(?:is|must) /.test(message) ? message : `is wrong: ${message}`}`
  const meant = similar(String(keys.at(-1)), known)
  return `${name} means nothing${meant === null ? `; known are ${known.join(", ")}` : `; did you mean ${meant}?`}`
}
