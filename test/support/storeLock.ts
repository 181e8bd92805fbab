/** Another process that holds the run store's write lock. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { World } from "./world.js"

const holder = fileURLToPath(new URL("./holdStore.mjs", import.meta.url))

/** Takes the lock of the world's store, which must exist; the result lets it go and waits until it is free. */
export const holdStore = async (world: World): Promise<() => Promise<void>> => {
  const child = spawn(process.execPath, [holder, join(world.store, "alluka.db")], {
    env: world.env,
    stdio: ["pipe", "pipe", "inherit"]
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve())
    child.once("exit", (code) => reject(new Error(`the lock was not taken (${code})`)))
  })
  return async () => {
    child.stdin.end()
    await ended
  }
}
