/** The monitor as a component: what another Ink app mounts, and what `runMonitor` puts on a terminal of its own. */
import { Linear } from "./components/Linear.js"
import { Screen } from "./components/Screen.js"
import { useKeys } from "./components/useKeys.js"
import { useModel } from "./components/useModel.js"
import type { MonitorSession } from "./feed/session.js"

export interface MonitorProps {
  /** An open session (`openSession`); whoever opened it starts and stops it, and tells it of a new size. */
  readonly session: MonitorSession
  /** Whether colours may be used; without them everything is still told apart. */
  readonly colour?: boolean
}

/** Shows a session and hands it the keys. */
export const Monitor = ({ session, colour = true }: MonitorProps) => {
  const model = useModel(session.store)
  useKeys(session.store)
  return model.settings.screenReader ? <Linear model={model} /> : <Screen model={model} colour={colour} />
}
