/** Questions on a terminal. Asked only where `interactive.ts` allows it. */
import { createInterface } from "node:readline/promises"
import * as Effect from "effect/Effect"

/** The answer to a question, without the line end; an ended input is an empty answer. */
const answer = (question: string): Effect.Effect<string> =>
  Effect.acquireUseRelease(
    Effect.sync(() => createInterface({ input: process.stdin, output: process.stderr })),
    (lines) =>
      Effect.async<string>((resume) => {
        lines.on("close", () => resume(Effect.succeed("")))
        // Ctrl-C at a question means what it means everywhere.
        lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
        lines.question(question).then(
          (text) => resume(Effect.succeed(text.trim())),
          () => resume(Effect.succeed(""))
        )
      }),
    (lines) => Effect.sync(() => lines.close())
  )

/** Yes or no; no answer is `otherwise`. */
export const confirm = (question: string, otherwise: boolean): Effect.Effect<boolean> =>
  Effect.map(answer(`${question} [${otherwise ? "Y/n" : "y/N"}] `), (text) =>
    text === "" ? otherwise : /^y(es)?$/i.test(text)
  )

/** One of several; `null`: none of them. */
export const choose = (question: string, among: ReadonlyArray<string>): Effect.Effect<string | null> =>
  Effect.map(
    answer(`${question}\n${among.map((each, index) => `  ${index + 1}  ${each}`).join("\n")}\nnumber or name: `),
    (text) => among[Number(text) - 1] ?? among.find((each) => each === text) ?? null
  )

/** A line of free text. */
export const ask = (question: string): Effect.Effect<string> => answer(`${question} `)
