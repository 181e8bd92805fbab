/** Effect's own log goes to stderr, one line each: stdout holds the answer only. */
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { Output } from "./output/Output.js"

export const loggerLayer = ({
  debug,
  output
}: {
  readonly debug: boolean
  readonly output: Output
}): Layer.Layer<never> =>
  Logger.minimumLogLevel(debug ? LogLevel.Debug : LogLevel.Warning).pipe(
    Layer.provideMerge(
      Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ date, logLevel, message }) => {
          const text = (Array.isArray(message) ? message : [message]).map(String).join(" ")
          void output.note(debug ? `${date.toISOString()} ${logLevel.label} ${text}` : `alluka: ${text}`)
        })
      )
    )
  )
