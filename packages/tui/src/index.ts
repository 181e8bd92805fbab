/** The live run monitor. `runMonitor` takes a terminal of its own; `Monitor` is mounted by another Ink app. */
export type { MonitorServices } from "./feed/services.js"
export { type MonitorSession, openSession, type SessionOptions } from "./feed/session.js"
export type { MonitorStore } from "./feed/store.js"
export { keysPage } from "./keys/docs.js"
export { type Action, type Binding, keyTable } from "./keys/keyTable.js"
export { frameOf } from "./layout/frame.js"
export { type Line, painted, plainText } from "./layout/Line.js"
export { type LinearLine, linearLines } from "./layout/linear.js"
export { Monitor, type MonitorProps } from "./Monitor.js"
export type { Message } from "./model/Message.js"
export {
  defaultPreferences,
  initialModel,
  type Model,
  type Preferences,
  type Settings,
  type Size
} from "./model/Model.js"
export { type MonitorOptions, runMonitor } from "./runMonitor.js"
export { type Host, quietHost } from "./terminal/Host.js"
export { type ThemeName, themeNames, themeOf, themes } from "./theme/theme.js"
export { update } from "./update/update.js"
