import { defineConfig, mergeConfig } from "vitest/config"
import { shared } from "../vitest.shared.js"

/** The reliability suite at its full size; ALLUKA_TEST_RELIABILITY=short runs the size that `npm test` includes. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: [
        "reliability/**/*.reliability.test.ts",
        "tasks/killed-loop.test.ts",
        "tasks/racing-loops.test.ts",
        "providers/killed*.test.ts"
      ],
      globalSetup: ["support/programIsBuilt.ts"],
      env: { ALLUKA_TEST_RELIABILITY: process.env.ALLUKA_TEST_RELIABILITY ?? "full" },
      testTimeout: 1_200_000,
      hookTimeout: 30_000,
      pool: "forks",
      maxWorkers: 1,
      // Each round proves itself; what is retried is a program that a busy machine started too late.
      retry: 1
    }
  })
)
