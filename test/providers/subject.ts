/** A provider under test: how its agent is played, and how what reached it is read. What is expected is what it declares. */
import type { Running } from "../support/command.js"
import type { CheckpointDocument } from "../support/documents.js"
import type { StartOptions, World } from "../support/world.js"
import { type Lacking, type Point, reached } from "./points.js"

/** How a run may end that was not ended from outside. */
export type EndName = "failure" | "limit" | "auth"

/** What the agent does from its next start on. */
export type Plan =
  /** Opens the conversation, says two things, uses a tool, and succeeds. */
  | { readonly do: "finish" }
  /** Opens the conversation, says something, and never ends. */
  | { readonly do: "work" }
  /**
   * The steps of `finish` up to this point, then nothing more; `reached` is made when it is there. At `exited` that is
   * before the last word: the agent says it, and ends, once there is the file `go`.
   */
  | { readonly do: "stopAt"; readonly point: Point; readonly reached: string; readonly go: string }
  | { readonly do: "end"; readonly how: EndName }
  /** Ends with 0 in the middle of its answer, without a word of success. */
  | { readonly do: "cut" }
  /** `finish`, with lines between that are no events, and a huge one. */
  | { readonly do: "babble" }
  /** Answers that it does not have the conversation. */
  | { readonly do: "forget" }
  /** Announces this session id, whatever it was asked for. */
  | { readonly do: "announce"; readonly id: string }

/** What a start was told, in the provider's own words. `undefined`: it is not told by the provider's way of starting. */
export interface Heard {
  readonly prompt: string | undefined
  /** Asked to go on with a conversation. */
  readonly resumed: boolean
  readonly session: string | undefined
  readonly forkOf: string | null
  readonly model: string | null | undefined
  readonly thinking: string | null | undefined
  readonly permission: string | null | undefined
  readonly cwd: string | undefined
  /** What the user said before in the conversation, where the start itself carries it. */
  readonly earlier?: ReadonlyArray<string>
}

/** A world with the agent in it. */
export interface Stage {
  readonly world: World
  readonly plan: (plan: Plan) => StartOptions
  readonly heard: () => ReadonlyArray<Heard>
}

/** Where the provider's storage keeps a conversation, and how it may be broken. */
export interface Storage {
  readonly file: (world: World, session: string) => string
  /** One row a line: the middle can be broken, and the end cut. Else only the whole can be garbage. */
  readonly rows: boolean
}

export interface Subject {
  /** The provider's id. */
  readonly id: string
  /** In the names of tests. */
  readonly label: string
  readonly open: () => Promise<Stage>
  /** The point from which on the agent has announced its conversation; `null`: it never does. */
  readonly announcedAt: Point | null
  /** The point from which on its storage holds the conversation. */
  readonly storedAt: Point
  /** The points at which a run of it cannot be cut off. */
  readonly lacking: Lacking
  /** Whether its last word is one of success, or only its exit is. */
  readonly lastWord: "success" | "none"
  readonly storage: Storage | null
  /** The reason of each end; `null`: this agent has no such end. */
  readonly ends: Readonly<Record<EndName, ReadonlyArray<string> | null>>
  /** Its code is another subject's, and only its declarations are its own: what follows from those is tested. */
  readonly alike?: true
  /** Its entry in a configuration, where it is described by one. */
  readonly entry?: object
  /** Plans that make no sense for it. */
  readonly without: ReadonlyArray<"cut" | "babble" | "forget" | "announce" | "process">
}

/** Whether the id of its conversation is announced while it works, and not only at its end. */
export const isNamedEarly = ({ announcedAt }: Subject): boolean => reached("message", announcedAt)

/** The document of `providers list`, as far as the suite reads it. */
export interface Declared {
  readonly continuation: "provider_session" | "host_transcript" | "none"
  readonly id_assignment: "caller" | "provider"
  readonly id_known: "before_spawn" | "first_event" | "end_only"
  readonly fork: boolean
  readonly model_on_resume: string
  readonly thinking_on_resume: string
  readonly permission_on_resume: string
  readonly thinking_levels: ReadonlyArray<string>
  readonly permissions: Readonly<Record<"read" | "edit" | "full", string | null>>
  readonly cwd_bound: boolean
  readonly concurrent_guard: boolean
  readonly survives_kill: boolean
  readonly prompt_channel: "stdin" | "argument"
  readonly reports_model: boolean
  readonly verified_with: string
}

/** Begins a message about a difference: who, in which version, and which declared fact. */
export const differs = ({ label }: Subject, { verified_with: version }: Declared, fact: string): string =>
  `${label} (verified with ${version}) does not do what it declares: ${fact}`

/** A run that was started, with its checkpoint's id. */
export interface Begun {
  readonly alluka: Running
  readonly id: string
}

/** The settings that the suite starts a run with: what the provider can be told. */
export const settingsOf = (declared: Declared) => {
  const permission = (["read", "edit", "full"] as const).find((level) => declared.permissions[level] !== null) ?? "edit"
  return {
    model: "M-1",
    thinking: declared.thinking_levels.at(-1) ?? null,
    permission,
    word: declared.permissions[permission]
  }
}

export const flagsOf = ({ model, permission, thinking }: ReturnType<typeof settingsOf>): ReadonlyArray<string> => [
  ...["--model", model, "--permission", permission],
  ...(thinking === null ? [] : ["--thinking", thinking])
]

export type { CheckpointDocument }
