/** A decision that starts nothing, told as the answer: as a stream of two lines, or in words. */
import { type Decision, Documents, ExitCodes } from "@alluka/core"
import * as Effect from "effect/Effect"
import type { Setting } from "./app.js"
import type { Launch } from "./launch.js"
import { renderDecision } from "./output/human/decision.js"
import type { Output } from "./output/Output.js"

/** Prints the refusal and answers its exit code. */
export const refuse = (decision: Decision.Decision, { output }: Pick<Setting, "output">, launch: Launch | null) =>
  Effect.gen(function* () {
    const exitCode = ExitCodes.exitCodeOfDecision(decision)
    if (launch !== null) yield* launch.refused(decision)
    else yield* Effect.promise(() => print(decision, exitCode, output))
    return exitCode
  })

const print = async (decision: Decision.Decision, exitCode: number, output: Output): Promise<void> => {
  if (output.json) {
    await output.document(Documents.decisionLine(decision))
    await output.document(Documents.refusalSummary(decision, exitCode))
  } else await output.words(renderDecision(decision, { ...output, paint: output.errPaint }))
}
