/**
 * What an agent offers, from its answer to `initialize`, and which way leads into a conversation with it. Pure. Observed:
 * `loadSession` was offered by all of eleven agents, `sessionCapabilities.resume` by six; neither may be taken for granted.
 */
import type { Provider } from "@alluka/core"
import * as Data from "effect/Data"
import { type JsonObject, list, number, object, text } from "../json.js"

export interface Offers {
  /** The version of the protocol that the agent settled on. */
  readonly protocol: number | null
  readonly resume: boolean
  readonly load: boolean
  readonly fork: boolean
  readonly list: boolean
  /** Further folders beside the one of the session. */
  readonly addDirs: boolean
  /** How a person signs in, in the agent's words. */
  readonly signIn: ReadonlyArray<string>
}

/** A capability is there if its key holds anything but null or false. */
const has = (value: unknown): boolean => value !== undefined && value !== null && value !== false

/** Reads the answer to `initialize`. */
export const offersOf = (answer: JsonObject): Offers => {
  const agent = object(answer.agentCapabilities)
  const session = object(agent.sessionCapabilities)
  return {
    protocol: number(answer.protocolVersion),
    resume: has(session.resume),
    load: agent.loadSession === true,
    fork: has(session.fork),
    list: has(session.list),
    addDirs: has(session.additionalDirectories),
    signIn: list(answer.authMethods)
      .map(object)
      .map((method) => text(method.description) ?? text(method.name))
      .filter((words) => words !== null)
  }
}

/** How a conversation is opened. */
export type Way = Data.TaggedEnum<{
  // biome-ignore lint/complexity/noBannedTypes: a tagged case without fields
  New: {}
  /** Without a replay of what was said. */
  Resume: { readonly id: string }
  /** With a replay of the whole history. */
  Load: { readonly id: string }
  Fork: { readonly from: string }
  /** Not at all; a new conversation is never opened in its place. */
  Cannot: { readonly why: string }
}>
export const Way = Data.taggedEnum<Way>()

/** The way into a conversation with an agent that offers this. `title`: the agent's name, for people. */
export const wayInto = (conversation: Provider.Conversation, offers: Offers, title: string): Way => {
  switch (conversation._tag) {
    case "New":
      return Way.New()
    case "Continue":
      if (offers.resume) return Way.Resume({ id: conversation.id })
      if (offers.load) return Way.Load({ id: conversation.id })
      return Way.Cannot({
        why: `continuation unsupported: ${title} offers neither session/resume nor session/load, so the conversation ${conversation.id} cannot go on; start a fresh one instead`
      })
    case "Fork":
      return offers.fork
        ? Way.Fork({ from: conversation.from })
        : Way.Cannot({ why: `continuation unsupported: ${title} does not offer to copy a conversation (session/fork)` })
  }
}
