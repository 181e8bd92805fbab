import { defineConfig } from "vitest/config"

/** Tests of every package run on the packages' sources, so a test never needs a build of its neighbours. */
export const sourceConditions = ["@alluka/source", "node", "import", "default"]

export const shared = defineConfig({
  resolve: { conditions: sourceConditions },
  ssr: { resolve: { conditions: sourceConditions } },
  test: { include: ["src/**/*.test.{ts,tsx}"], passWithNoTests: false, testTimeout: 20_000 }
})
