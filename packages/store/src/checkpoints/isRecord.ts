/**
 * Whether a value is a record already. The stored form of our records is their decoded form, so most of what is read needs
 * no more than this. The program's bundle has these checks as plain code, made from the same schemas
 * (apps/cli/build/recordChecks.mjs).
 */
import { Checkpoint, Event } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"

export const isCheckpoint: (value: unknown) => value is Checkpoint.Checkpoint = Schema.is(Checkpoint.Checkpoint)
export const isStoredEvent: (value: unknown) => value is Event.StoredEvent = Schema.is(Event.StoredEvent)
