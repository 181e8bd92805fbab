/** The keys of a session, and nothing to see: for who brings its frames onto the screen without Ink. */
import type { MonitorSession } from "../feed/session.js"
import { useKeys } from "./useKeys.js"

export const Keys = ({ session }: { readonly session: MonitorSession }) => {
  useKeys(session.store)
  return null
}
