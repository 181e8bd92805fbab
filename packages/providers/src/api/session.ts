/** The conversation of one run: opened from a transcript, and written on. */
import type { Provider } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  appendEntry,
  createTranscript,
  type Entry,
  type NoSuchTranscript,
  readTranscript,
  sessionIdFor,
  type TranscriptDamaged,
  type TranscriptFailed
} from "./transcript.js"

export interface Session {
  readonly id: string
  /** Where its transcript lies. */
  readonly folder: string
  readonly entries: ReadonlyArray<Entry>
  /** What is worth telling about how it was found. */
  readonly notices: ReadonlyArray<string>
}

/** Opens the conversation of a start. `folder`: where new transcripts go. */
export const openSession = (
  request: Pick<Provider.StartRequest, "conversation" | "checkpointId">,
  folder: string
): Effect.Effect<Session, NoSuchTranscript | TranscriptDamaged | TranscriptFailed> =>
  Effect.gen(function* () {
    const { conversation } = request
    const now = yield* Clock.currentTimeMillis
    if (conversation._tag === "Continue") {
      const place = conversation.location ?? folder
      const found = yield* readTranscript(place, conversation.id)
      return { id: conversation.id, folder: place, entries: found.entries, notices: noticesOf(found) }
    }
    const id = conversation.id ?? sessionIdFor(request.checkpointId)
    if (conversation._tag === "New") {
      yield* createTranscript(folder, id, now)
      return { id, folder, entries: [], notices: [] }
    }
    const found = yield* readTranscript(conversation.location ?? folder, conversation.from)
    yield* createTranscript(folder, id, now, found.entries)
    return { id, folder, entries: found.entries, notices: noticesOf(found) }
  })

const noticesOf = ({
  entries,
  tailBroken
}: {
  readonly entries: ReadonlyArray<Entry>
  readonly tailBroken: boolean
}): ReadonlyArray<string> => {
  const users = entries.filter(({ role }) => role === "user").length
  const redacted = entries.filter((entry) => entry.redacted).length
  return [
    `${entries.length} message${entries.length === 1 ? " of the conversation is" : "s of the conversation are"} sent again from Alluka's own transcript, ${users} of them the user's`,
    ...(tailBroken ? ["the last line of the transcript was cut: its message is lost"] : []),
    ...(redacted === 0
      ? []
      : [
          `secrets were removed from ${redacted} of these messages when they were stored: the model does not see them again`
        ])
  ]
}

/** A message as it is stored. */
export const entryOf = (role: Entry["role"], content: string, redact: (text: string) => string, cut = false): Entry => {
  const kept = redact(content)
  return { role, content: kept, cut, redacted: kept !== content }
}

/** Stores the next message, of which `n - 1` are stored. Returns once it is on the disk. */
export const store = ({ folder, id }: Session, n: number, entry: Entry): Effect.Effect<void, TranscriptFailed> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => appendEntry(folder, id, n, now, entry))
