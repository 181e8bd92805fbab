/** What a launcher and the process that it launches say to each other: one JSON text each way. */
import { Decision, Ids } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Option from "effect/Option"
import type { Problem } from "./errors.js"

/** The descriptor on which the launched process answers. */
export const answerDescriptor = 3

const Order = Schema.Struct({
  argv: Schema.Array(Schema.String),
  prompt: Schema.NullOr(Schema.String),
  id: Ids.CheckpointId
})
export type Order = typeof Order.Type

const Answer = Schema.Union(
  Schema.Struct({ type: Schema.Literal("started"), id: Ids.CheckpointId }),
  Schema.Struct({ type: Schema.Literal("refused"), decision: Decision.Decision }),
  Schema.Struct({ type: Schema.Literal("waiting"), id: Ids.CheckpointId, until: Schema.Number }),
  Schema.Struct({
    type: Schema.Literal("failed"),
    problem: Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      detail: Schema.NullOr(Schema.String),
      retryable: Schema.Boolean,
      hints: Schema.Array(
        Schema.Union(Schema.String, Schema.Struct({ argv: Schema.Array(Schema.String), why: Schema.String }))
      ),
      exitCode: Schema.Number,
      place: Schema.NullOr(
        Schema.Struct({
          path: Schema.String,
          line: Schema.NullOr(Schema.Number),
          column: Schema.NullOr(Schema.Number)
        })
      )
    })
  })
)
export type LaunchAnswer = typeof Answer.Type

const OrderText = Schema.parseJson(Order)
const AnswerText = Schema.parseJson(Answer)

export const encodeOrder: (order: Order) => string = Schema.encodeSync(OrderText)
export const decodeOrder = (text: string): Order | null => Option.getOrNull(Schema.decodeOption(OrderText)(text))
export const encodeAnswer = (answer: LaunchAnswer): string => `${Schema.encodeSync(AnswerText)(answer)}\n`
export const decodeAnswer = (text: string): LaunchAnswer | null =>
  Option.getOrNull(Schema.decodeOption(AnswerText)(text))

/** A problem as an answer. */
export const failedAnswer = (problem: Problem): LaunchAnswer => ({ type: "failed", problem })
