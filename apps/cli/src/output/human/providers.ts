/** The providers of this machine, in words. Pure. */
import type { ProviderFound } from "../../commands/providersList.js"
import type { Output } from "../Output.js"
import { line } from "./safe.js"

const continues = {
  provider_session: "goes on in its own conversation",
  host_transcript: "goes on with a transcript that we keep",
  none: "cannot go on: a resume starts a new conversation"
} as const

export const renderProviders = (found: ReadonlyArray<ProviderFound>, { paint }: Pick<Output, "paint">): string =>
  found
    .map(({ availability, provider, version }) => {
      const { capabilities: can } = provider
      const installed = availability._tag === "Installed"
      const state = installed ? paint("installed", "good") : paint("not installed", "dim")
      return [
        `${paint(provider.id, "strong")}  ${line(provider.title)}: ${state}${version === null ? "" : ` ${line(version)}`}`,
        installed ? `  program     ${line(availability.command)}` : `  install     ${line(provider.install)}`,
        `  resume      ${continues[can.continuation]}${can.fork ? ", or in a copy of it" : ""}`,
        `  thinking    ${can.thinkingLevels.length === 0 ? "no such setting" : can.thinkingLevels.join(", ")}`,
        `  permission  ${Object.entries(can.permissions)
          .map(([ours, theirs]) => `${ours}: ${theirs ?? "not possible"}`)
          .join(", ")}`,
        `  verified    ${line(can.verifiedWith)}`
      ].join("\n")
    })
    .join("\n\n")
