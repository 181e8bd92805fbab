/** What a resume keeps and what is worth a warning: the sentences of a decision that is not a refusal. Pure. */
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import { currentPhase } from "../checkpoint/Checkpoint.js"
import type { Kept } from "../provider/Capabilities.js"
import { duration } from "../text/duration.js"
import type { Facts } from "./Facts.js"
import { familyChange } from "./modelFamily.js"
import { capped, wantedPermission } from "./permission.js"

/** What goes on unchanged in the same conversation, and what does not although the conversation does. */
export const keptSettings = (
  facts: Facts,
  checkpoint: Checkpoint
): { readonly keeps: ReadonlyArray<string>; readonly loses: ReadonlyArray<string> } => {
  const { request, capabilities } = facts
  const phase = currentPhase(checkpoint.progress)
  const loses: Array<string> = []
  const keeps: Array<string> = ["conversation"]
  const settle = (name: string, value: string | null, changed: boolean, how: Kept | undefined) => {
    if (changed) return
    if (how !== "not_supported") keeps.push(name)
    else if (value !== null) loses.push(`${name} ${value}: ${facts.providerTitle} cannot be told on a resume`)
  }
  settle("model", phase.model.requested ?? phase.model.actual, request.model !== null, capabilities?.modelOnResume)
  settle("thinking", phase.thinking.requested, request.thinking !== null, capabilities?.thinkingOnResume)
  settle("permission", checkpoint.spec.permission, request.permission !== null, capabilities?.permissionOnResume)
  if (request.cd === null) keeps.push("folder")
  if (checkpoint.spec.providerArgsRedacted) loses.push("provider arguments that held a secret: give them again")
  return { keeps, loses }
}

/** Warnings about the conversation itself. */
export const sessionWarnings = (facts: Facts, checkpoint: Checkpoint): ReadonlyArray<string> => {
  const { probe } = facts
  const { position } = checkpoint.progress
  const recordedAt = currentPhase(checkpoint.progress).providerSession?.location ?? null
  const session = probe?.session ?? null
  const warnings: Array<string> = []
  if (position.openTool !== null) {
    warnings.push(
      `The run stopped while the tool ${position.openTool.name} was at work; it may or may not have taken effect.`
    )
  }
  if (session?.tailDamaged === true)
    warnings.push("The last line of the conversation's file was cut; that step is lost.")
  if (session?.presence === "damaged")
    warnings.push(`A part of the conversation's file is lost: ${session.detail ?? "a line is broken"}.`)
  if (session?.presence === "present" && session.detail !== null && !session.tailDamaged)
    warnings.push(`${session.detail}.`)
  if (session?.presence === "unknown") {
    warnings.push(
      `Whether ${facts.providerTitle} still has the conversation could not be checked${session.detail === null ? "" : `: ${session.detail}`}.`
    )
  }
  if (session?.lastRowAt != null && session.lastRowAt > position.lastActivityAt + unobservedMs) {
    warnings.push(
      `The conversation has rows from ${duration(session.lastRowAt - position.lastActivityAt)} after our last record: the agent went on unobserved.`
    )
  }
  if (recordedAt !== null && probe?.location != null && !recordedAt.startsWith(probe.location)) {
    warnings.push(
      `The run used ${recordedAt}; today's configuration directory is ${probe.location}. The recorded one is used.`
    )
  }
  return warnings
}

/** Rows are stamped by the provider a little before or after we record them. */
const unobservedMs = 5000

/** Warnings about the folder, the clock and the settings. */
export const worldWarnings = (facts: Facts, checkpoint: Checkpoint): ReadonlyArray<string> => {
  const { probe, request, policy } = facts
  const warnings: Array<string> = []
  const activity = checkpoint.progress.position.lastActivityAt
  if (activity > facts.now + skewMs) {
    warnings.push(
      `The last activity is ${duration(activity - facts.now)} ahead of this machine's clock; its age is not known.`
    )
  }
  const drift = probe?.drift ?? null
  if (drift?.head != null)
    warnings.push(
      `The git head moved from ${short(drift.head.before)} to ${short(drift.head.now)} since the run began.`
    )
  if (drift?.branch != null) warnings.push(`The git branch is ${drift.branch.now} now; it was ${drift.branch.before}.`)
  if (drift !== null && drift.dirty.length > 0) {
    const shown = drift.dirty.slice(0, 3).join(", ")
    warnings.push(
      `Uncommitted changes in ${drift.dirty.length} file${drift.dirty.length === 1 ? "" : "s"}: ${shown}${drift.dirty.length > 3 ? ", …" : ""}.`
    )
  }
  for (const neighbour of probe?.neighbours ?? [])
    warnings.push(`Another run, ${neighbour}, is live in the same folder.`)
  if (request.cd !== null) warnings.push(`The folder changes from ${checkpoint.spec.workspace.cwd} to ${request.cd}.`)
  if (request.model !== null && request.model !== currentPhase(checkpoint.progress).model.requested) {
    warnings.push(
      `The model changes from ${currentPhase(checkpoint.progress).model.requested ?? "the provider's default"} to ${request.model}.`
    )
  }
  if (mayCompact(facts, checkpoint)) {
    warnings.push(
      `${facts.providerTitle} may replace the conversation by a summary if the models are of different families.`
    )
  }
  const wanted = wantedPermission(facts, checkpoint)
  if (capped(wanted, policy) !== wanted) {
    warnings.push(`The permission is capped at ${policy.maxPermission} (permission.max); the run had ${wanted}.`)
  }
  return warnings
}

const skewMs = 60_000

const mayCompact = ({ capabilities, request }: Facts, checkpoint: Checkpoint): boolean => {
  const recorded = currentPhase(checkpoint.progress).model.requested
  if (capabilities?.modelChangeCompacts !== true || request.model === null || recorded === null) return false
  return familyChange(recorded, request.model) === "unknown"
}

const short = (head: string): string => head.slice(0, 10)
