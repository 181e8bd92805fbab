/** `alluka sessions list|show` and `alluka agents list`: views of the runs by what they belong to. */
import { Documents, Resume } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { withApp } from "../app.js"
import type { Command } from "../Command.js"
import { problem } from "../errors.js"
import { everyRun } from "../everyRun.js"
import { renderAgents, renderSession, renderSessions } from "../output/human/sessions.js"
import { Refusal } from "../Refusal.js"
import { sessionIdOf } from "../sessions.js"

const whole = { attempts: true, dismissed: true } as const

export const sessionsList: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const { options } = invocation
      const { items } = yield* everyRun({ ...whole, agent: options.text("agent") })
      const now = yield* Clock.currentTimeMillis
      const list = Documents.sessionListDocument(items)
      const limit = options.flag("all") ? list.items.length : (options.number("limit") ?? 30)
      const shown = { ...list, items: list.items.slice(0, limit), total: list.items.length }
      yield* Effect.promise(() =>
        output.json ? output.document(shown) : output.text(renderSessions(shown, now, output))
      )
      return 0
    })
  )

export const sessionsShow: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const resume = yield* Resume.Resume
      const text = invocation.args[0] ?? ""
      const { items } = yield* everyRun({ ...whole, sessionId: yield* sessionIdOf(text) })
      const decided = yield* Effect.forEach(items, (checkpoint) =>
        Effect.map(resume.fromRecord(checkpoint), (decision) => ({ checkpoint, decision }))
      )
      const document = Documents.sessionDocument(decided)
      if (document === null) {
        return yield* new Refusal({
          problem: problem(3, "session_not_found", `no session ${text}`, {
            hints: [{ argv: ["sessions", "list"], why: "lists them" }]
          })
        })
      }
      const now = yield* Clock.currentTimeMillis
      yield* Effect.promise(() =>
        output.json ? output.document(document) : output.text(renderSession(document, decided, now, output))
      )
      return 0
    })
  )

export const agentsList: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const { items } = yield* everyRun(whole)
      const now = yield* Clock.currentTimeMillis
      const document = Documents.agentListDocument(items)
      yield* Effect.promise(() => (output.json ? output.document(document) : output.text(renderAgents(document, now))))
      return 0
    })
  )
