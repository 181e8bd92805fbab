/**
 * Bundles the program: one CommonJS file that resolves nothing but the native driver, and the monitor, an ESM file of its
 * own beside it (a screen library waits at its top level, which CommonJS cannot).
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "rolldown"

const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"))
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const shared = {
  platform: "node",
  external: ["better-sqlite3"],
  resolve: {
    conditionNames: ["@alluka/source", "node", "import", "default"],
    alias: {
      "@effect/platform/Error": here("./build/platformError.mjs"),
      // Asked for by a module of Ink that only its developers use; a static import of it would end the program at its start.
      "react-devtools-core": here("./build/nothing.mjs")
    }
  },
  transform: {
    define: {
      "process.env.NODE_ENV": JSON.stringify("production"),
      ALLUKA_VERSION: JSON.stringify(version)
    }
  }
}

export default defineConfig([
  { ...shared, input: "src/main.ts", output: { file: "dist/program.cjs", format: "cjs", minify: true, codeSplitting: false } },
  {
    ...shared,
    input: "src/monitorEntry.ts",
    output: { file: "dist/monitor.mjs", format: "esm", minify: true, codeSplitting: false }
  }
])
