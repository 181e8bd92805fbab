import * as Fs from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rolldown } from "rolldown"
import { startProgram } from "../support/child.js"
import { temporaryFolder } from "../support/fixtures.js"

/** Opens the store from two bundles of one program, and writes from both at once. */
const program = (first: string, second: string, home: string): string => `
import * as A from ${JSON.stringify(pathToFileURL(first).href)}
import * as B from ${JSON.stringify(pathToFileURL(second).href)}
const result = await A.together(${JSON.stringify(home)}, B)
console.log(JSON.stringify(result))
`

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const entry = `
import * as Effect from "effect/Effect"
import { CheckpointStore, OwnerIdentity, Scope } from "@alluka/core"
import { createRunning, withStore } from ${JSON.stringify(here("../../dist/support/fixtures.js"))}
export const key = () => globalThis[Symbol.for("@alluka/store/databases/1")].entries.size
const owner = Effect.map(Effect.flatMap(OwnerIdentity.OwnerIdentity, (o) => o.self), ({ id }) => id)
export const use = (home, after) => Effect.runPromise(withStore(home, Effect.gen(function* () {
  for (let n = 0; n < 50; n++) yield* createRunning()
  yield* Effect.promise(after)
  const store = yield* CheckpointStore.CheckpointStore
  return { owner: yield* owner, open: key(), running: (yield* store.counts(Scope.operator)).running }
})))
export const together = async (home, other) => {
  let arrived = 0, both
  const meet = new Promise((resolve) => { both = resolve })
  const after = () => { if (++arrived === 2) both(); return meet }
  const results = await Promise.all([use(home, after), other.use(home, after)])
  return { results, left: key() }
}
`

describe("the registry", () => {
  it.scoped("gives two bundles of one process one database and one owner", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      Fs.symlinkSync(here("../../../../node_modules"), `${folder}/node_modules`)
      Fs.writeFileSync(`${folder}/entry.mjs`, entry)
      const bundle = (name: string) =>
        Effect.promise(async () => {
          const build = await rolldown({
            input: `${folder}/entry.mjs`,
            platform: "node",
            external: [/^better-sqlite3$/],
            logLevel: "silent"
          })
          await build.write({ file: `${folder}/${name}`, format: "esm", codeSplitting: false })
          await build.close()
          return `${folder}/${name}`
        })
      const first = yield* bundle("first.mjs")
      const second = yield* bundle("second.mjs")
      Fs.writeFileSync(`${folder}/main.mjs`, program(first, second, `${folder}/home`))
      const child = yield* startProgram(process.execPath, [`${folder}/main.mjs`])
      const { stdout } = yield* child.end
      const { results, left } = JSON.parse(stdout)
      assert.strictEqual(results.length, 2)
      assert.strictEqual(results[0].owner, results[1].owner)
      assert.deepStrictEqual([results[0].open, results[1].open], [1, 1])
      assert.deepStrictEqual([results[0].running, results[1].running], [100, 100])
      assert.strictEqual(left, 0)
    })
  )
})
