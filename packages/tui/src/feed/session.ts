/** One monitor: its model in motion, fed by the services of a runtime, with a terminal or another app around it. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Runtime from "effect/Runtime"
import { turns } from "../layout/list.js"
import type { Command } from "../model/Command.js"
import type { Message } from "../model/Message.js"
import { initialModel, type Preferences, type Settings, type Size } from "../model/Model.js"
import type { Host } from "../terminal/Host.js"
import { cancel, decide, dismiss, findProviders, followRaw, launch, launchMany, rename } from "./actions.js"
import { feed, type Reading } from "./feed.js"
import { countImportable, type ImportAs, importAll } from "./importing.js"
import { inspect } from "./inspect.js"
import { readPage } from "./read.js"
import type { MonitorServices } from "./services.js"
import { type MonitorStore, makeStore } from "./store.js"
import { moveTask, rejectTask, saveTask, stopTasks, watchTasks } from "./tasks.js"

export interface SessionOptions {
  readonly settings: Settings
  readonly preferences: Preferences
  readonly size: Size
  /** The filter it opens with. */
  readonly filter: string
  /** Put behind the arguments of every run that is launched: the data folder, where one was named. */
  readonly launchArgs: ReadonlyArray<string>
  readonly host: Host
  /** What conversations from outside are brought in as; usually as runs of the agent `default` that may edit. */
  readonly importAs?: ImportAs
  /** ms since 1970; a test may stop it. */
  readonly clock: () => number
}

export interface MonitorSession {
  readonly store: MonitorStore
  /** Begins to read and to listen. */
  readonly start: () => void
  /** Ends everything that was begun. Ends no run. */
  readonly stop: () => Promise<void>
}

const tickMs = 1000
const spinMs = 200

export const openSession = (runtime: Runtime.Runtime<MonitorServices>, options: SessionOptions): MonitorSession => {
  const { clock, host, importAs = { agent: "default", permission: "edit" }, launchArgs, settings } = options
  const fork = Runtime.runFork(runtime)
  const wanted = Effect.runSync(Queue.sliding<Reading>(1))
  const nudged = Effect.runSync(Queue.sliding<void>(1))
  const fibers = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  const timers: Array<NodeJS.Timeout> = []
  let inspecting: Fiber.RuntimeFiber<unknown, unknown> | null = null
  let following: Fiber.RuntimeFiber<unknown, unknown> | null = null
  let watching: Fiber.RuntimeFiber<unknown, unknown> | null = null
  let inspected = false

  const run = (effect: Effect.Effect<unknown, never, MonitorServices>): Fiber.RuntimeFiber<unknown, unknown> => {
    const fiber = fork(effect)
    fibers.add(fiber)
    fiber.addObserver(() => fibers.delete(fiber))
    return fiber
  }
  const end = (fiber: Fiber.RuntimeFiber<unknown, unknown> | null): void => {
    if (fiber !== null) Effect.runFork(Fiber.interruptFork(fiber))
  }

  const perform = (command: Command, store: MonitorStore): void => {
    const tell = (effect: Effect.Effect<Message, never, MonitorServices>): void => {
      run(Effect.map(effect, store.dispatch))
    }
    /** What changes a task shows in the lists at once. */
    const tellOfTask = (effect: Effect.Effect<Message, never, MonitorServices>): void => {
      run(
        Effect.map(effect, (message) => {
          store.dispatch(message)
          if (watching === null) return
          end(watching)
          watching = run(watchTasks(store.dispatch))
        })
      )
    }
    switch (command._tag) {
      case "Refresh":
        Effect.runSync(Queue.offer(wanted, command))
        return
      case "ReadMore":
        run(
          readPage(command.group, command.cursors, command, settings.home).pipe(
            Effect.map((page) =>
              store.dispatch({ _tag: "PageRead", generation: command.generation, group: command.group, page })
            ),
            Effect.catchAll((failure) =>
              Effect.sync(() =>
                store.dispatch({
                  _tag: "PageFailed",
                  generation: command.generation,
                  group: command.group,
                  why: failure.message
                })
              )
            )
          )
        )
        return
      case "Inspect":
        end(inspecting)
        inspecting = command.id === null ? null : run(inspect(command.id, store, nudged, inspected))
        inspected = true
        return
      case "Decide":
        tell(decide(command.token, command.id, command.ask))
        return
      case "Launch":
        tell(launch([...command.argv, ...launchArgs], command.input, command.from, command.twin))
        return
      case "LaunchMany":
        tell(launchMany(command.ids, launchArgs))
        return
      case "Cancel":
        tell(cancel(command.ids, command.twin))
        return
      case "Dismiss":
        tell(dismiss(command.ids, command.twin))
        return
      case "Rename":
        tell(rename(command.id, command.title))
        return
      case "FindProviders":
        tell(findProviders)
        return
      case "CountImportable":
        run(countImportable(importAs, store.dispatch))
        return
      case "Import":
        tell(importAll(importAs, command.twin))
        return
      case "FollowRaw":
        end(following)
        following = command.id === null ? null : run(followRaw(command.id, store.dispatch))
        return
      case "WatchTasks":
        end(watching)
        watching = command.on ? run(watchTasks(store.dispatch)) : null
        return
      case "SaveTask":
        tellOfTask(saveTask(command, settings.taskPrefix))
        return
      case "MoveTask":
        tellOfTask(moveTask(command.id, command.place, command.twin))
        return
      case "RejectTask":
        tellOfTask(rejectTask(command.id, command.status, command.twin))
        return
      case "StopTasks":
        tellOfTask(stopTasks(command.cwd, command.twin))
        return
      case "Copy":
        void host
          .copy(command.text)
          .then((how) =>
            store.dispatch(
              how === null
                ? { _tag: "Told", text: `Could not copy ${command.what}.`, tone: "bad" }
                : { _tag: "Told", text: `Copied ${command.what} (${how}).`, tone: "good" }
            )
          )
        return
      case "EditText":
        store.dispatch({ _tag: "Edited", text: host.edit(command.text) })
        return
      case "PageText": {
        const trouble = host.page(command.text)
        if (trouble !== null) store.dispatch({ _tag: "Told", text: trouble, tone: "bad" })
        return
      }
      case "Foreground": {
        const code = host.foreground([...command.argv, ...launchArgs])
        const twin = `${settings.program} ${command.argv.join(" ")}`
        if (code === null) {
          // The exact words for a terminal of its own; copied, where that can be done.
          void host.copy(twin)
          store.dispatch({ _tag: "Told", text: `Not possible here; in a terminal: ${twin}`, tone: "warn" })
        } else if (code === 0) store.dispatch({ _tag: "Told", text: `Back · same as: ${twin}`, tone: "good" })
        else store.dispatch({ _tag: "Told", text: `It ended with ${code} · same as: ${twin}`, tone: "warn" })
        return
      }
      case "SavePreferences":
        host.savePreferences(command.preferences)
        return
      case "Notify":
        if (store.current().focused !== true) host.notify(command.text)
        return
      case "Mouse":
        host.mouse(command.on)
        return
      case "Repaint":
        host.repaint()
        return
      case "Suspend":
        host.suspend()
        return
      case "Quit":
        host.quit()
        return
    }
  }

  const model = { ...initialModel(settings, options.preferences, options.size, clock()), filter: options.filter }
  const store = makeStore(model, perform)

  let spinning: NodeJS.Timeout | null = null
  /** Turns the signs of runs that say something, and wakes nobody where none is to be seen. */
  const spin = (): void => {
    const shown = store.get()
    if (spinning !== null || shown.focused === false || !turns(shown)) return
    spinning = setTimeout(() => {
      spinning = null
      store.dispatch({ _tag: "Spun" })
    }, spinMs)
  }

  return {
    store,
    start: () => {
      run(
        feed({
          store,
          home: settings.home,
          wanted,
          changed: (roots) => {
            const { detail, runs } = store.current()
            const root = detail === null ? undefined : runs.get(detail.id)?.checkpoint.rootId
            return root !== undefined && roots.has(root) ? Effect.asVoid(Queue.offer(nudged, undefined)) : Effect.void
          }
        })
      )
      perform({ _tag: "Refresh", generation: 0, since: null, folder: null }, store)
      perform({ _tag: "FindProviders" }, store)
      timers.push(setInterval(() => store.dispatch({ _tag: "Ticked", now: clock() }), tickMs))
      store.subscribe(spin)
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      if (spinning !== null) clearTimeout(spinning)
      store.close()
      await Effect.runPromise(Fiber.interruptAll([...fibers]))
    }
  }
}
