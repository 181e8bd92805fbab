/** Bundles the program: one CommonJS file without anything to resolve but the native driver. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "rolldown"

const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"))

export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  external: ["better-sqlite3"],
  resolve: {
    conditionNames: ["@alluka/source", "node", "import", "default"],
    alias: { "@effect/platform/Error": fileURLToPath(new URL("./build/platformError.mjs", import.meta.url)) }
  },
  transform: {
    define: {
      "process.env.NODE_ENV": JSON.stringify("production"),
      ALLUKA_VERSION: JSON.stringify(version)
    }
  },
  output: {
    file: "dist/program.cjs",
    format: "cjs",
    minify: true,
    codeSplitting: false
  }
})
