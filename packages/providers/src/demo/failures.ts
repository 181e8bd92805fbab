/** What the demo agent's error codes mean. */
import type { Failure } from "@alluka/core"
import { failure } from "../failures.js"

export const classify = (code: string | null, text: string): Failure.ProviderFailure =>
  code === "no_such_session"
    ? failure("provider_session_missing", text, { lostSession: "no_such_session" })
    : failure("provider_error", text)
