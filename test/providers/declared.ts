/** What the program under test says that its providers can and cannot do: the expectations of this suite. */
import type { Document } from "../support/documents.js"
import { openWorld } from "../support/world.js"
import { configure } from "./lines.js"
import type { Declared, Subject } from "./subject.js"
import { subjects } from "./subjects.js"

interface ProviderList extends Document {
  readonly items: ReadonlyArray<{ readonly id: string; readonly capabilities: Declared }>
}

/** Asked once, on a machine without any of the programs: none is started for it. */
let asked: Promise<ProviderList> | null = null

const ask = (): Promise<ProviderList> => {
  const world = openWorld()
  configure(
    world,
    Object.fromEntries(subjects.flatMap(({ entry, id }) => (entry === undefined ? [] : [[id, entry] as const])))
  )
  return world.json<ProviderList>(["providers", "list"])
}

/** What a provider declares of itself. */
export const declaredOf = async ({ id }: Subject): Promise<Declared> => {
  asked ??= ask()
  const found = (await asked).items.find((item) => item.id === id)
  if (found === undefined) throw new Error(`the program knows no provider ${id}`)
  return found.capabilities
}
