/** What an import found, as JSON. */
import type { Imported } from "../import/importConversations.js"
import { oneLine } from "../text/oneLine.js"
import { iso } from "./json.js"
import type { ImportResultDocument } from "./schema/importResult.js"

/** `redact`: the titles of conversations that were not imported were never stored, so never redacted. */
export const importResultDocument = (
  found: ReadonlyArray<Imported>,
  redact: (text: string) => string
): ImportResultDocument => ({
  kind: "import_result",
  version: 1,
  items: found.map(({ checkpoint, conversation, left, provider }) => ({
    outcome: left ?? (checkpoint === null ? "would_import" : "imported"),
    checkpoint_id: checkpoint?.id ?? null,
    provider,
    provider_session_id: conversation.id,
    title: oneLine(redact(conversation.prompt), 120),
    cwd: conversation.cwd,
    model: conversation.model,
    stopped: conversation.stopped === null ? null : oneLine(redact(conversation.stopped), 280),
    started_at: iso(conversation.startedAt),
    last_activity_at: iso(conversation.lastActivityAt)
  }))
})
