import type { Checkpoint, CheckpointStore, Event } from "@alluka/core"

export declare const newDraft: (title: string, promptBytes?: number) => CheckpointStore.CheckpointStore.Draft
export declare const newEvent: (kind: Event.EventKind, message: string) => Event.NewEvent
export declare const endOf: (checkpoint: Checkpoint.Checkpoint) => CheckpointStore.CheckpointStore.OwnerEnd
