/** The one place where input comes in: everything typed goes through the router to the store. */
import { type Key, useInput } from "ink"
import { useCallback, useRef } from "react"
import type { MonitorStore } from "../feed/store.js"
import { initialRouter, route } from "../keys/router.js"

export const useKeys = ({ dispatch }: MonitorStore): void => {
  const router = useRef(initialRouter)
  useInput(
    useCallback(
      (input: string, key: Key) => {
        const [next, messages] = route(router.current, input, key)
        router.current = next
        for (const message of messages) dispatch(message)
      },
      [dispatch]
    )
  )
}
