/** Bundles the monitor: one ES module (its screen library awaits at the top level), loaded only when it is opened. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "rolldown"

const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"))
const standIn = (name) => fileURLToPath(new URL(`./build/${name}`, import.meta.url))

export default defineConfig({
  input: "src/monitorEntry.ts",
  platform: "node",
  external: ["better-sqlite3"],
  resolve: {
    conditionNames: ["@alluka/source", "node", "import", "default"],
    alias: {
      "@effect/platform/Error": standIn("platformError.mjs"),
      // Named by a module of Ink that only a debugging session loads; left outside, it would be looked for at every start.
      "react-devtools-core": standIn("nothing.mjs")
    }
  },
  transform: {
    define: {
      "process.env.NODE_ENV": JSON.stringify("production"),
      "process.env.DEV": JSON.stringify("false"),
      ALLUKA_VERSION: JSON.stringify(version)
    }
  },
  output: {
    file: "dist/monitor.mjs",
    format: "esm",
    minify: true,
    codeSplitting: false
  }
})
