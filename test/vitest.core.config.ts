import { defineConfig, mergeConfig } from "vitest/config"
import { shared } from "../vitest.shared.js"

/** Core's services over the real store, with a provider that the tests play. */
export default mergeConfig(
  shared,
  defineConfig({ test: { include: ["core/**/*.test.ts"], pool: "forks", maxWorkers: 2 } })
)
