import type { World } from "./world.js"
export const seedRuns = async (_world: World, _count: number): Promise<void> => {
  throw new Error("not there yet")
}
