import { defineConfig, mergeConfig } from "vitest/config"
import { shared } from "../vitest.shared.js"

/** Real agents against the loopback model server. They are installed on the first use (see support/agents). */
export default mergeConfig(
  shared,
  defineConfig({
    test: {
      include: ["agents/**/*.agents.test.ts"],
      globalSetup: ["support/programIsBuilt.ts", "support/agents/globalSetup.ts"],
      testTimeout: 90_000,
      hookTimeout: 60_000,
      pool: "forks",
      maxWorkers: 2,
      // Real programs have bad moments of their own; what is wrong fails three times.
      retry: 2
    }
  })
)
