import { defineConfig, mergeConfig } from "vitest/config"
import { shared } from "../vitest.shared.js"

/** The packages as they would be published, installed into an empty project that compiles and runs the examples. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ["packages/**/*.packages.test.ts"],
      globalSetup: ["support/programIsBuilt.ts", "packages/consumer.ts"],
      testTimeout: 90_000,
      hookTimeout: 30_000,
      pool: "forks",
      maxWorkers: 1,
      retry: 1
    }
  })
)
