import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** Tests of every package run on the packages' sources, so a test never needs a build of its neighbours. */
export const sourceConditions = ["@alluka/source", "node", "import", "default"]

const { ALLUKA_TEST_PROPERTY_RUNS, ALLUKA_TEST_PROPERTY_SEED } = process.env
const properties =
  ALLUKA_TEST_PROPERTY_RUNS || ALLUKA_TEST_PROPERTY_SEED
    ? [fileURLToPath(new URL("vitest.properties.ts", import.meta.url))]
    : []

export const shared = defineConfig({
  resolve: { conditions: sourceConditions },
  ssr: { resolve: { conditions: sourceConditions } },
  test: { include: ["src/**/*.test.{ts,tsx}"], passWithNoTests: false, testTimeout: 20_000, setupFiles: properties }
})
