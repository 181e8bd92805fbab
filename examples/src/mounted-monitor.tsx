/**
 * The monitor inside another Ink app, with that app's own line above it. `q` leaves.
 *
 *   node examples/dist/mounted-monitor.js
 */
import { RunLauncher } from "@alluka/core"
import { Registry } from "@alluka/providers"
import { defaultPreferences, Monitor, openSession, quietHost } from "@alluka/tui"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Box, render, Text } from "ink"
import { home, services } from "./services.js"

/** An app that starts runs gives its own launcher; this one only looks. */
const noLauncher = Layer.succeed(RunLauncher.RunLauncher, {
  launch: () =>
    Effect.fail(
      new RunLauncher.LaunchFailed({ operation: "launch", code: "not_here", detail: "This app starts no runs." })
    )
})
const runtime = ManagedRuntime.make(Layer.merge(noLauncher, services(Registry.layer())))
const size = () => ({ columns: process.stdout.columns || 80, rows: (process.stdout.rows || 24) - 1 })

const session = openSession(await runtime.runtime(), {
  settings: {
    ascii: false,
    reducedMotion: true,
    screenReader: false,
    program: "alluka",
    store: home,
    home: process.env.HOME ?? "/",
    taskPrefix: "T",
    cwd: process.cwd(),
    realCwd: process.cwd()
  },
  preferences: defaultPreferences,
  size: size(),
  filter: "",
  launchArgs: [],
  host: { ...quietHost, quit: () => ink.unmount() },
  clock: () => Date.now()
})
const ink = render(
  <Box flexDirection="column">
    <Text inverse> My app: its runs </Text>
    <Monitor session={session} />
  </Box>,
  { exitOnCtrlC: false }
)
process.stdout.on("resize", () => session.store.dispatch({ _tag: "Resized", size: size() }))
session.start()
await ink.waitUntilExit()
await session.stop()
await runtime.dispose()
