import { defineConfig, mergeConfig } from "vitest/config"
import { shared } from "../vitest.shared.js"

/** What takes minutes: loops killed at every commit. One file at a time, on a quiet machine. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ["tasks/killed-loop.test.ts"],
      globalSetup: ["support/programIsBuilt.ts"],
      env: { ALLUKA_TEST_RELIABILITY: process.env.ALLUKA_TEST_RELIABILITY ?? "short" },
      testTimeout: 240_000,
      hookTimeout: 30_000,
      pool: "forks",
      maxWorkers: 1,
      retry: 1
    }
  })
)
