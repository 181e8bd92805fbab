import { defineConfig, mergeConfig } from "vitest/config"
import { shared } from "../../vitest.shared.js"

/** The build's own code is tested too. */
export default mergeConfig(shared, defineConfig({ test: { include: ["build/**/*.test.mjs"] } }))
