/** The answer of a server, from the pieces of its stream: OpenAI's `chat.completion.chunk`. Pure. */
import type { Checkpoint, Failure } from "@alluka/core"
import { failure } from "../failures.js"
import { count, type JsonObject, list, number, object, text } from "../json.js"

export interface Completion {
  readonly text: string
  /** Why the answer ended, in the server's word; `null`: it has not ended. */
  readonly finish: string | null
  /** The model that answers, where the server says so. */
  readonly model: string | null
  readonly usage: Checkpoint.Usage | null
}

export const nothingYet: Completion = { text: "", finish: null, model: null, usage: null }

/** What one piece adds. A whole answer (`message` in place of `delta`) counts as one piece. */
export const add = (before: Completion, piece: JsonObject): Completion => {
  const choice = object(list(piece.choices)[0])
  const said = text(object(choice.delta).content) ?? text(object(choice.message).content) ?? ""
  const usage = object(piece.usage)
  return {
    text: before.text + said,
    finish: text(choice.finish_reason) ?? before.finish,
    model: before.model ?? text(piece.model),
    usage:
      number(usage.prompt_tokens) === null && number(usage.completion_tokens) === null
        ? before.usage
        : { inputTokens: count(usage.prompt_tokens), outputTokens: count(usage.completion_tokens), costUsd: null }
  }
}

/** What an answer amounts to once the stream has ended; `null`: a success, or nothing at all. */
export const faultOf = ({ finish, text: said }: Completion): Failure.ProviderFailure | null => {
  switch (finish) {
    case "stop":
      return null
    case null:
      return failure(
        "network_lost",
        said === "" ? "the stream ended before the answer began" : "the stream ended before the answer did"
      )
    case "length":
      return failure("provider_error", "the answer was cut at the model's limit of output tokens")
    case "content_filter":
      return failure("provider_error", "the server's content filter ended the answer")
    case "tool_calls":
    case "function_call":
      return failure("provider_error", "the model asked for a tool, and none was offered to it")
    default:
      return failure("provider_error", `the answer ended for a reason that is not known: ${finish.slice(0, 80)}`)
  }
}

/** Whether the answer is a success: it ended by itself and says something. */
export const isAnswer = ({ finish, text: said }: Completion): boolean => finish === "stop" && said.trim() !== ""
