/**
 * Writes the runs of a story into a store and keeps those alive that are running: `node story.mjs HOME`. The story is the
 * first line of its stdin, a JSON array of the runs `StoryRun` in `story.ts` describes; it says `told` when all is there,
 * and ends with its stdin. Goes through the product's own store.
 */
import { createInterface } from "node:readline"
import { CheckpointStore, OwnerIdentity } from "@alluka/core"
import { layer } from "@alluka/store"
import * as Effect from "effect/Effect"
import { newDraft, reasonOf } from "./draft.mjs"

const [home] = process.argv.slice(2)

const draftOf = (run, now) => {
  const endedAt = now - (run.agoMs ?? 240_000)
  const startedAt = endedAt - (run.ranMs ?? 775_000)
  const draft = newDraft(run.title)
  const id = run.id ?? draft.id
  const cwd = run.folder ?? "/nowhere"
  const [phase] = draft.progress.phases
  const model = { requested: run.model ?? null, actual: run.model ?? null }
  const thinking = { requested: run.thinking ?? null, actual: run.thinking ?? null }
  const provider = run.provider ?? "claude"
  return {
    draft: {
      ...draft,
      id,
      rootId: id,
      agent: run.agent ?? "default",
      labels: run.labels ?? {},
      startedAt,
      updatedAt: endedAt,
      spec: {
        ...draft.spec,
        provider,
        prompt: run.prompt ?? run.title,
        permission: run.permission ?? "edit",
        workspace: { cwd, realPath: cwd, gitHead: null, gitBranch: null }
      },
      progress: {
        ...draft.progress,
        phases: [
          {
            ...phase,
            provider,
            model,
            thinking,
            startedAt,
            providerSession:
              run.session === undefined
                ? null
                : { id: run.session, assignedBy: "caller", seenAt: startedAt, location: null }
          }
        ],
        position: {
          turn: run.turn ?? 0,
          messages: (run.turn ?? 0) * 2,
          lastMessageId: null,
          openTool: run.tool === undefined ? null : { id: "t1", name: run.tool, since: endedAt },
          lastActivityAt: endedAt
        },
        elapsedMs: run.ranMs ?? 775_000
      }
    },
    startedAt,
    endedAt
  }
}

const eventsOf = (run, startedAt, endedAt) => {
  const talk = (run.said ?? []).map((said, index, all) => ({
    kind: said.tool === undefined ? "message" : said.done ? "tool_finished" : "tool_started",
    timestamp: endedAt - (all.length - index) * 4000,
    phase: 0,
    message: said.text,
    payload: said.tool === undefined ? {} : { id: `t${index}`, name: said.tool }
  }))
  const session =
    run.session === undefined
      ? []
      : [
          {
            kind: "provider_session",
            timestamp: startedAt + 2000,
            phase: 0,
            message: `conversation ${run.session}`,
            payload: { id: run.session }
          }
        ]
  return [...session, ...talk]
}

const tell = (run, owner, now) =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const { draft, endedAt, startedAt } = draftOf(run, now)
    const created = { kind: "created", timestamp: startedAt, phase: 0, message: run.title, payload: {} }
    const checkpoint = yield* store.create(draft, owner, created)
    const progress = {
      ...draft.progress,
      phases: draft.progress.phases.map((phase) => ({
        ...phase,
        state: run.state,
        endedAt: run.state === "running" ? null : endedAt
      }))
    }
    const base = {
      id: checkpoint.id,
      owner: owner.id,
      taskId: checkpoint.taskId,
      at: endedAt,
      confirmsResumeOf: null,
      events: eventsOf(run, startedAt, endedAt)
    }
    if (run.state === "running") {
      yield* store.progress({ ...base, progress, durability: "normal" })
      return
    }
    const reason = run.reason === undefined ? null : reasonOf(run.reason)
    yield* store.end({
      ...base,
      progress,
      endedAt,
      state: run.state,
      reason,
      events: [
        ...base.events,
        {
          kind: "state_changed",
          timestamp: endedAt,
          phase: 0,
          message: reason === null ? run.state : `${run.state}: ${reason.message}`,
          payload: { from: "running", to: run.state, ...(reason === null ? {} : { reason: reason.code }) }
        }
      ]
    })
  })

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const story = JSON.parse((await lines.next()).value)
const now = Number.isNaN(Date.parse(process.env.ALLUKA_NOW ?? "")) ? Date.now() : Date.parse(process.env.ALLUKA_NOW)

await Effect.gen(function* () {
  const owner = yield* Effect.flatMap(OwnerIdentity.OwnerIdentity, (identity) => identity.self)
  for (const run of story) yield* tell(run, owner, now)
  process.stdout.write("told\n")
  // Until nobody listens any more, its running ones are alive.
  yield* Effect.promise(async () => {
    while (!(await lines.next()).done);
  })
}).pipe(Effect.provide(layer({ home })), Effect.runPromise)
