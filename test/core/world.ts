/** Core's services over the real store in a folder of its own, with a scripted provider. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BeginRun, Ids, Provider, Redactor, type RunEvent, Scope, Services, type State } from "@alluka/core"
import * as Store from "@alluka/store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Scripted, type ScriptOptions, scripted } from "./scriptedProvider.js"

export interface World {
  readonly home: string
  readonly cwd: string
  readonly script: Scripted
}

const temporaryFolder = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), name))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

/** Every service that the tests of core use, over the store in `home`. */
export const services = (home: string, script: Scripted) => {
  const base = Layer.mergeAll(
    Store.layer({ home }),
    Ids.layer,
    Layer.succeed(Redactor.Redactor, { redact: (text: string) => text.replaceAll("hunter2", "[redacted]") }),
    Layer.succeed(Provider.Providers, script.providers)
  )
  return Layer.provideMerge(Services.layer(), base)
}

/** Runs a test in a world of its own. */
export const inWorld = <A, E, R>(options: ScriptOptions, body: (world: World) => Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const home = yield* temporaryFolder("alluka-core-")
      const cwd = yield* temporaryFolder("alluka-cwd-")
      const script = scripted(options)
      // The runs of a test end before the store is closed under them.
      return yield* Effect.scoped(body({ home, cwd, script })).pipe(Effect.provide(services(home, script)))
    })
  )

/** A plain request of a run in a folder. */
export const request = (cwd: string, change: Partial<BeginRun.RunRequest> = {}): BeginRun.RunRequest => ({
  agent: "default",
  sessionId: null,
  key: null,
  labels: {},
  title: null,
  origin: "manual",
  prompt: "Fix the failing test",
  provider: "claude",
  providerArgs: [],
  model: "opus[1m]",
  thinking: "high",
  permission: "edit",
  addDirs: [],
  cwd,
  limits: { timeoutMs: null, idleMs: null },
  id: null,
  ...change
})

export const begin = (cwd: string, change: Partial<BeginRun.RunRequest> = {}) =>
  BeginRun.beginRun(Scope.operator, request(cwd, change))

export type Event = RunEvent.RunEvent
export type EndState = State.EndState
