/**
 * A project of somebody else: the packages as they would be published, packed and installed into an empty folder, with the
 * examples as its own source. Made once for the files that use it.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)

/** Folders of the packages that are published. */
export const published = ["packages/core", "packages/store", "packages/providers", "packages/tui", "apps/cli"] as const

export interface Consumer {
  readonly folder: string
  /** By the package's folder. */
  readonly tarballs: ReadonlyMap<string, string>
  /** Where `npm install --global` of the packed command put it. */
  readonly prefix: string
  readonly remove: () => void
}

/** Runs npm without a prompt; what it says goes into the failure's message. */
export const npm = async (args: ReadonlyArray<string>, cwd: string): Promise<string> =>
  (await run("npm", [...args, "--no-audit", "--no-fund"], { cwd, maxBuffer: 1 << 26 })).stdout

/**
 * The native driver is compiled once, at this repository's own install: its build is put into an installation whose
 * scripts did not run.
 */
const putDriver = (modules: string): void => {
  const own = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"))
  cpSync(join(own, "build"), join(modules, "better-sqlite3", "build"), { recursive: true })
}

export const makeConsumer = async (): Promise<Consumer> => {
  const folder = mkdtempSync(join(tmpdir(), "alluka-consumer-"))
  const packs = join(folder, "packs")
  mkdirSync(packs)
  const tarballs = new Map<string, string>()
  for (const one of published) {
    const said = JSON.parse(
      await npm(["pack", "--json", "--pack-destination", packs], join(root, one))
    ) as ReadonlyArray<{
      readonly filename: string
    }>
    tarballs.set(one, join(packs, said[0]?.filename ?? ""))
  }
  cpSync(join(root, "examples/src"), join(folder, "src"), { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        ...{ target: "ES2023", module: "NodeNext", strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
        ...{ types: ["node"], jsx: "react-jsx", rootDir: "src", outDir: "dist" }
      },
      include: ["src"]
    })
  )
  const libraries = published.filter((one) => one !== "apps/cli").map((one) => tarballs.get(one) ?? "")
  const others = ["typescript@7.0.2", "@types/node@20.19.43", "@types/react@19.2.14"]
  const tools = ["publint@0.3.25", "@arethetypeswrong/cli@0.18.5"]
  await npm(["install", "--ignore-scripts", ...libraries, ...others, ...tools], folder)
  putDriver(join(folder, "node_modules"))
  const prefix = join(folder, "global")
  await npm(["install", "--global", "--prefix", prefix, "--ignore-scripts", tarballs.get("apps/cli") ?? ""], folder)
  putDriver(nativeFolder(prefix))
  return { folder, tarballs, prefix, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Where a global installation keeps the driver: inside the command's own folder, or beside it. */
const nativeFolder = (prefix: string): string => {
  const modules = join(prefix, "lib", "node_modules")
  const inside = join(modules, "alluka", "node_modules")
  return readdirSync(modules).includes("better-sqlite3") ? modules : inside
}
