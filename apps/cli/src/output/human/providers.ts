/** The providers of this machine, in words. Pure. */
import { Continuity, type Documents } from "@alluka/core"
import type { Output } from "../Output.js"
import { line } from "./safe.js"

const continues = {
  provider_session: "goes on in its own conversation",
  host_transcript: "goes on with a transcript that we keep",
  none: "cannot go on: a resume starts a new conversation"
} as const

type Found = Documents.ProviderFound

export const renderProviders = (found: ReadonlyArray<Found>, { paint }: Pick<Output, "paint">): string =>
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

const signedIn = {
  present: "a sign-in or key is there (whether it works, only a run tells)",
  absent: "not signed in",
  unknown: "not known: the program cannot be asked without a model call"
} as const

/** Everything about one provider. */
export const renderProvider = (found: Found, { paint }: Pick<Output, "paint">): string => {
  const { auth = null, provider } = found
  const { keeps, loses, notes } = Continuity.continuityOf(provider.capabilities)
  const listed = (title: string, sentences: ReadonlyArray<string>): ReadonlyArray<string> =>
    sentences.length === 0 ? [] : ["", paint(title, "strong"), ...sentences.map((each) => `  ${line(each)}`)]
  return [
    renderProviders([found], { paint }),
    ...(auth === null ? [] : [`  sign-in     ${signedIn[auth]}`]),
    ...listed("Continues", keeps),
    ...listed("Is not kept", loses),
    ...listed("Worth knowing", notes)
  ].join("\n")
}

const looks = {
  ok: ["ok", "good"],
  warning: ["note", "warn"],
  problem: ["problem", "bad"],
  fixed: ["fixed", "good"],
  skipped: ["skipped", "dim"]
} as const

/** What a trial of a provider showed. */
export const renderProviderTest = (
  { items, program_version: version }: Documents.ProviderTestDocument,
  { capabilities, title }: Found["provider"],
  { paint }: Pick<Output, "paint">
): string =>
  [
    `${line(title)}${version === null ? "" : ` ${line(version)}`} (verified with ${line(capabilities.verifiedWith)})`,
    ...items.flatMap(({ detail, id, message, status }) => {
      const [word, tone] = looks[status]
      return [
        `  ${paint(word.padEnd(8), tone)} ${id.padEnd(13)} ${line(message)}`,
        ...(detail === null ? [] : [`           ${line(detail)}`])
      ]
    })
  ].join("\n")
