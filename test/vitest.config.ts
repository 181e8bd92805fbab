import { defineConfig, mergeConfig } from "vitest/config"
import { shared } from "../vitest.shared.js"

/** Trials, end-to-end tests, the monitor on a real terminal and the short reliability suite, all against the built program. */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: [
        "support/**/*.test.ts",
        "trials/**/*.test.ts",
        "providers/**/*.test.ts",
        "e2e/**/*.test.ts",
        "monitor/**/*.test.ts",
        "tasks/**/*.test.ts",
        "reliability/**/*.reliability.test.ts"
      ],
      globalSetup: ["support/programIsBuilt.ts"],
      env: { ALLUKA_TEST_RELIABILITY: process.env.ALLUKA_TEST_RELIABILITY ?? "short" },
      testTimeout: 120_000,
      hookTimeout: 30_000,
      pool: "forks",
      maxWorkers: 2,
      // Programs are waited for with deadlines, which a machine that is busy with other work can miss.
      retry: 2
    }
  })
)
