/**
 * Bundles the program: CommonJS that resolves nothing but the native driver, in a few files, so that a command reads no
 * more than it needs; and the monitor, an ESM file of its own beside it (a screen library waits at its top level, which
 * CommonJS cannot).
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineConfig } from "rolldown"
import { closure } from "./build/closure.mjs"
import { coldStart } from "./build/coldStart.mjs"
import { deepImports } from "./build/deepImports.mjs"
import { lazyBuiltins } from "./build/lazyBuiltins.mjs"
import { lazySchemas } from "./build/lazySchemas.mjs"
import { providerFacts } from "./build/providerFacts.mjs"
import { recordChecks } from "./build/recordChecks.mjs"

const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"))
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const packages = Object.fromEntries(
  ["core", "providers", "store"].map((name) => [`@alluka/${name}`, here(`../../packages/${name}/src/index.ts`)])
)

const sources = ["core", "providers", "store"].map((name) => here(`../../packages/${name}/src`))

const shared = {
  platform: "node",
  external: [/\.node$/],
  resolve: {
    conditionNames: ["@alluka/source", "node", "import", "default"],
    alias: {
      "@effect/platform/Error": here("./build/platformError.mjs"),
      // Asked for by a module of Ink that only its developers use; a static import of it would end the program at its start.
      "react-devtools-core": here("./build/nothing.mjs"),
      bindings: here("./build/bindings.cjs"),
      // Its other form finds its own parts by a `require` that no bundler follows.
      "jsonc-parser": fileURLToPath(import.meta.resolve("jsonc-parser").replace("/umd/", "/esm/"))
    }
  },
  transform: {
    define: {
      "process.env.NODE_ENV": JSON.stringify("production"),
      ALLUKA_VERSION: JSON.stringify(version)
    }
  }
}

/** What reads the command line, and all that `--help` and `version` need. */
const front =
  /node_modules\/commander\/|apps\/cli\/src\/(?:main|commandTable|invocation|version|errors|launchedName|arguments\/.*|output\/Io|demo\/command|commands\/(?:version|help)|help\/names|tasks\/commands)\.ts$/

/** What a list needs: the commands that are asked most often read no more than this. */
const view = closure(["apps/cli/src/commands/runsList.ts", "apps/cli/src/output/human/list.ts"])

export default defineConfig([
  {
    ...shared,
    input: { program: "src/main.ts" },
    plugins: [
      lazyBuiltins(),
      recordChecks(here("../../packages/store/src/checkpoints/isRecord.ts")),
      deepImports(packages),
      lazySchemas(here("../../packages/core/src/Schema.ts"), [...sources, here("src")]),
      coldStart(),
      providerFacts(),
      view.plugin
    ],
    output: {
      dir: "dist",
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "program-[name].cjs",
      minify: true,
      // Modules are begun when they are first needed, not when their file is read.
      strictExecutionOrder: true,
      codeSplitting: {
        groups: [
          { name: "front", test: front, priority: 3 },
          { name: "dates", test: /node_modules\/luxon\/|limits\/resetTime\.ts$/, priority: 2 },
          { name: "positions", test: /node_modules\/jsonc-parser\/|config\/positions\.ts$/, priority: 3 },
          { name: "agents", test: /node_modules\/(?:@agentclientprotocol|zod|eventsource-parser)\//, priority: 2 },
          { name: "view", test: view.has, priority: 2 },
          { name: "app", test: () => true, priority: 1 }
        ]
      }
    }
  },
  {
    ...shared,
    input: "src/monitorEntry.ts",
    plugins: [providerFacts()],
    output: { file: "dist/monitor.mjs", format: "esm", minify: true, codeSplitting: false }
  }
])
