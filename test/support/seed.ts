/** Many runs at once in a world's store. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { World } from "./world.js"

const seeder = fileURLToPath(new URL("./seedRuns.mjs", import.meta.url))

/** Adds `count` completed runs, in a process of its own that ends afterwards. */
export const seedRuns = async (world: World, count: number): Promise<void> => {
  await promisify(execFile)(process.execPath, [seeder, world.store, String(count)], { env: world.env })
}
