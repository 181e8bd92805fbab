/** What a provider's declared facts mean to a person: what goes on over a resume, and what is not kept. Pure. */
import type { Capabilities, Kept } from "./Capabilities.js"

/** Sentences without a full stop, for lists. */
export interface Continuity {
  /** What is the same after a resume, and how. */
  readonly keeps: ReadonlyArray<string>
  /** What is not kept, or not possible. */
  readonly loses: ReadonlyArray<string>
  /** What is worth knowing before anyone tries. */
  readonly notes: ReadonlyArray<string>
}

const how: Readonly<Record<Exclude<Kept, "not_supported">, string>> = {
  kept: "kept by the program, and given again where it takes it",
  must_be_passed: "given again at every resume",
  fixed: "always the same"
}

const conversation: Readonly<Record<Capabilities["continuation"], string>> = {
  provider_session: "conversation: the program's own goes on",
  host_transcript: "conversation: Alluka keeps it and sends it again",
  none: "conversation: the program cannot continue one, so a resume starts anew with a handover"
}

/** What continues with a provider, and what does not. */
export const continuityOf = (can: Capabilities): Continuity => {
  const keeps: Array<string> = []
  const loses: Array<string> = []
  const settle = (name: string, kept: Kept): void => {
    if (kept === "not_supported") loses.push(`${name}: there is no such setting`)
    else keeps.push(`${name}: ${how[kept]}`)
  }
  if (can.continuation === "none") loses.push(conversation.none)
  else keeps.push(conversation[can.continuation])
  settle("model", can.modelOnResume)
  settle("thinking", can.thinkingLevels.length === 0 ? "not_supported" : can.thinkingOnResume)
  settle("permission", can.permissionOnResume)
  if (!can.fork) loses.push("copies: a conversation cannot be copied (--fork)")
  if (!can.screen) loses.push("screen: there is none that could take a conversation over (alluka open)")
  return { keeps, loses, notes: notesOf(can) }
}

const notesOf = (can: Capabilities): ReadonlyArray<string> => {
  const continues = can.continuation !== "none"
  const all: ReadonlyArray<readonly [boolean, string]> = [
    [continues && can.cwdBound, "a conversation goes on only in the folder it began in"],
    [
      continues && can.idKnown === "end_only",
      "the program names its conversation late: a run that is killed early may have none to go on with"
    ],
    [
      continues && !can.concurrentGuard && can.continuation === "provider_session",
      "the program does not notice a second writer in a conversation: Alluka's own runs exclude each other, one that you start by hand is not seen"
    ],
    [can.survivesKill, "what it started may live on when it is killed: a resume looks for that first"],
    [can.modelChangeCompacts, "a change to a model of another family replaces the history by a summary"],
    [!can.reportsModel, "it does not tell which model answered"],
    [
      can.promptChannel === "argument",
      "the prompt is an argument: other users of this machine can read it while it runs"
    ]
  ]
  return all.flatMap(([holds, sentence]) => (holds ? [sentence] : []))
}
