import { mergeConfig } from "vitest/config"
import { shared } from "../../vitest.shared.js"

export default mergeConfig(shared, {
  test: {
    globalSetup: ["src/support/buildOnce.ts"],
    testTimeout: 60_000,
    // Tests hold processes and locks against each other; more of them at once than the machine has cores only waits.
    maxWorkers: 2,
    // Loading Effect takes longer than most of these tests, and none of them leaves anything behind in its process.
    isolate: false
  }
})
