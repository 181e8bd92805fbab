/** What the programs of this folder share. */
import * as Readline from "node:readline"
import * as Effect from "effect/Effect"
import { type Services, withStore } from "../fixtures.js"

export const args = process.argv.slice(2)

export const print = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stdout.write(`${text}\n`)
  })

const lines = Readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]()

/** Waits for a line from the test. */
export const nextLine: Effect.Effect<string> = Effect.promise(async () => {
  const { value } = await lines.next()
  return typeof value === "string" ? value : ""
})

/** Runs a program on the store in a folder, then exits; a failure is printed as `failed <tag> <code>`. */
export const runOnStore = <E extends { readonly _tag: string }>(
  home: string,
  program: Effect.Effect<unknown, E, Services>
): void => {
  const reported = withStore(home, program).pipe(
    Effect.catchAll((error) => {
      const code = "code" in error && typeof error.code === "string" ? error.code : ""
      return print(`failed ${error._tag} ${code}`.trim())
    })
  )
  void Effect.runPromise(Effect.scoped(reported)).then(() => process.exit(0))
}
