/** A conversation in a program's own storage that was begun outside of Alluka, as far as the storage tells. */
import type { OpenTool, Time } from "../checkpoint/Checkpoint.js"
import type { Permission } from "../checkpoint/state.js"

export interface FoundConversation {
  /** The program's own id of it. */
  readonly id: string
  /** The configuration directory that it was found under. */
  readonly location: string | null
  /** The folder it was held in. */
  readonly cwd: string
  /** The first thing the person said. */
  readonly prompt: string
  readonly model: string | null
  readonly thinking: string | null
  /** `null`: the storage does not say. */
  readonly permission: Permission | null
  readonly startedAt: Time
  readonly lastActivityAt: Time
  /** Things that the person said. */
  readonly turns: number
  readonly messages: number
  readonly openTool: OpenTool | null
  /** Where in the middle it stopped, in one sentence; `null`: the agent's last answer was complete. */
  readonly stopped: string | null
  /** Whether a process has it open now; `unknown` where the program leaves no sign of that. */
  readonly inUse: boolean | "unknown"
}
