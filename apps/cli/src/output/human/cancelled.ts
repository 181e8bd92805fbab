/** What became of a run that was to be cancelled, in words. Pure. */
import type { Cancelled } from "../../commands/cancel.js"
import type { Output } from "../Output.js"
import { line } from "./safe.js"

export const renderCancelled = (
  { checkpoint, ended, left, outcome }: Cancelled,
  { command }: Pick<Output, "command">
): string => {
  const { id } = checkpoint
  const pids = (processes: Cancelled["left"]): string =>
    processes.map((each) => `${each.pid} (${line(each.command)})`).join(", ")
  const said: Record<Cancelled["outcome"], string> = {
    cancelled: `${id} is cancelled. Its conversation and the files are kept.`,
    ended_otherwise: `${id} ended as ${checkpoint.state} before the cancel took effect.`,
    already_ended: `${id} had ended before: ${checkpoint.state}.`,
    still_running: `${id} is still running: the process that owns it (pid ${checkpoint.owner.pid}) has not stored an end yet. The cancel is stored.`,
    owner_unknown: `${id} is held by pid ${checkpoint.owner.pid} on ${line(checkpoint.owner.host)}, and whether that is alive cannot be proven here. The cancel is stored.`
  }
  return [
    said[outcome],
    ...(ended.length === 0 ? [] : [`  Ended here: ${pids(ended)}`]),
    ...(left.length === 0 ? [] : [`  Still alive: ${pids(left)}`]),
    ...(outcome === "owner_unknown"
      ? [`  If you know that it is gone:  ${command(["cancel", id, "--assume-owner-dead"])}`]
      : []),
    ...(outcome === "already_ended" && left.length > 0
      ? [`  Kill what is left:  ${command(["cancel", id, "--force"])}`]
      : [])
  ].join("\n")
}
