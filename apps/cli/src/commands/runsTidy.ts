/** `alluka runs dismiss|rename|rm|prune`: putting runs away. None of them touches a running one. */
import { Checkpoints, Documents, Resume, Scope, type State } from "@alluka/core"
import { StoreCare } from "@alluka/store"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { withApp } from "../app.js"
import type { Command } from "../Command.js"
import { problem, usage } from "../errors.js"
import { everyRun } from "../everyRun.js"
import { findRun } from "../ids.js"
import { Refusal } from "../Refusal.js"
import { confirmed, removeRuns, tellRuns } from "../tidy.js"

/** Hides runs from lists; `--dismissed` shows them still. */
export const dismiss: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, (setting) =>
    Effect.gen(function* () {
      const checkpoints = yield* Checkpoints.Checkpoints
      const found = yield* Effect.forEach(invocation.args, (text) => findRun(text, setting.output))
      yield* Effect.forEach(found, ({ id }) => checkpoints.dismiss(Scope.operator, id))
      const now = yield* Effect.forEach(found, ({ id }) => checkpoints.get(Scope.operator, id))
      yield* tellRuns("dismissed", now, setting)
      return 0
    })
  )

/** Gives a run another title. */
export const rename: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const checkpoints = yield* Checkpoints.Checkpoints
      const resume = yield* Resume.Resume
      const [text = "", title = ""] = invocation.args
      if (title.trim() === "") return yield* new Refusal({ problem: usage("the new title is empty") })
      const { id } = yield* findRun(text, output)
      yield* checkpoints.rename(Scope.operator, id, title)
      const renamed = yield* checkpoints.get(Scope.operator, id)
      const decision = yield* resume.fromRecord(renamed)
      yield* Effect.promise(() =>
        output.json
          ? output.document(Documents.checkpointDocument(renamed, decision))
          : output.text(`renamed  ${id}  ${renamed.title}`)
      )
      return 0
    })
  )

/** Deletes runs with their events and output. */
export const remove: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, (setting) =>
    Effect.gen(function* () {
      const { output } = setting
      const found = yield* Effect.forEach(invocation.args, (text) => findRun(text, output))
      const running = found.find(({ state }) => state === "running")
      if (running !== undefined) {
        return yield* new Refusal({
          problem: problem(6, "already_running", `${running.id} is running and is not deleted`, {
            hints: [{ argv: ["cancel", running.id], why: "ends it first" }]
          })
        })
      }
      if (!(yield* confirmed(`Delete ${found.map(({ id }) => id).join(", ")} for good?`, output))) return 5
      yield* tellRuns("deleted", yield* removeRuns(found), setting)
      return 0
    })
  )

/** Deletes ended runs that are older than a time. */
export const prune: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, (setting) =>
    Effect.gen(function* () {
      const { options } = invocation
      const { output } = setting
      const olderMs = options.number("olderThan")
      if (olderMs === null) {
        return yield* new Refusal({
          problem: usage("how old? --older-than says it", [
            { argv: ["runs", "prune", "--older-than", "30d", "-n"], why: "shows what would go" }
          ])
        })
      }
      const named = options.list("state") as ReadonlyArray<State.State>
      const states = (
        named.length === 0 ? (["completed", "cancelled", "failed", "interrupted"] as const) : named
      ).filter((state) => state !== "running")
      const before = (yield* Clock.currentTimeMillis) - olderMs
      const { items } = yield* everyRun({ states, attempts: true, dismissed: true })
      const old = items.filter(({ endedAt }) => endedAt !== null && endedAt < before)
      if (options.flag("dryRun")) {
        yield* tellRuns("would delete", old, setting)
        return 0
      }
      const many = `${old.length} ${old.length === 1 ? "run" : "runs"}`
      if (old.length > 0 && !(yield* confirmed(`Delete ${many} for good?`, output))) return 5
      const removed = old.length === 0 ? [] : yield* removeRuns(old)
      yield* (yield* StoreCare).tidy
      yield* tellRuns("deleted", removed, setting)
      if (!output.json && removed.length === 0) yield* Effect.promise(() => output.note("Nothing is that old."))
      return 0
    })
  )
