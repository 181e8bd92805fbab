/** The model that is to be shown, as React state. */
import { useSyncExternalStore } from "react"
import type { MonitorStore } from "../feed/store.js"
import type { Model } from "../model/Model.js"

export const useModel = ({ get, subscribe }: MonitorStore): Model => useSyncExternalStore(subscribe, get, get)
