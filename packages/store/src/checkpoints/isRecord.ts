/**
 * Whether a value is a record already. The stored form of our records is their decoded form, so most of what is read needs
 * no more than this. The program's bundle has these checks made at its build (apps/cli/build/recordChecks.mjs).
 */
import { Checkpoint, Event, SchemaCheck } from "@alluka/core"

export const isCheckpoint = SchemaCheck.compile(Checkpoint.Checkpoint)
export const isStoredEvent = SchemaCheck.compile(Event.StoredEvent)
