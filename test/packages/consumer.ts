/**
 * A project of somebody else: the packages as they would be published, packed and installed into an empty folder, with the
 * examples as its own source, compiled there. Made once for all files that use it.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)

/** Folders of the packages that are published. */
export const published = ["packages/core", "packages/store", "packages/providers", "packages/tui", "apps/cli"] as const

export interface Consumer {
  readonly folder: string
  /** By the package's folder. */
  readonly tarballs: Readonly<Record<string, string>>
  /** Where `npm install --global` of the packed command put it. */
  readonly prefix: string
}

declare module "vitest" {
  export interface ProvidedContext {
    consumer: Consumer
  }
}

/** Runs npm without a prompt; what it says goes into the failure's message. */
const npm = async (args: ReadonlyArray<string>, cwd: string): Promise<string> =>
  (await run("npm", [...args, "--no-audit", "--no-fund"], { cwd, maxBuffer: 1 << 26 })).stdout

/**
 * The native driver is compiled once, at this repository's own install: its build is put into an installation whose
 * scripts did not run.
 */
const putDriver = (modules: string): void => {
  const own = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"))
  cpSync(join(own, "build"), join(modules, "better-sqlite3", "build"), { recursive: true })
}

/** Makes the project before the tests, and takes it away after them. */
export default async (project: TestProject): Promise<() => void> => {
  const folder = mkdtempSync(join(tmpdir(), "alluka-consumer-"))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    project.provide("consumer", await makeConsumer(folder))
  } catch (cause) {
    remove()
    throw cause
  }
  return remove
}

const makeConsumer = async (folder: string): Promise<Consumer> => {
  const packs = join(folder, "packs")
  mkdirSync(packs)
  const tarballs: Record<string, string> = {}
  for (const one of published) {
    const said = JSON.parse(
      await npm(["pack", "--json", "--pack-destination", packs], join(root, one))
    ) as ReadonlyArray<{
      readonly filename: string
    }>
    tarballs[one] = join(packs, said[0]?.filename ?? "")
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
  const libraries = published.filter((one) => one !== "apps/cli").map((one) => tarballs[one] ?? "")
  const others = ["typescript@7.0.2", "@types/node@20.19.43", "@types/react@19.2.14"]
  const tools = ["publint@0.3.25", "@arethetypeswrong/cli@0.18.5"]
  await npm(["install", "--ignore-scripts", ...libraries, ...others, ...tools], folder)
  putDriver(join(folder, "node_modules"))
  const prefix = join(folder, "global")
  await npm(["install", "--global", "--prefix", prefix, "--ignore-scripts", tarballs["apps/cli"] ?? ""], folder)
  putDriver(nativeFolder(prefix))
  await run(join(folder, "node_modules/.bin/tsc"), ["-p", "."], { cwd: folder })
  return { folder, tarballs, prefix }
}

/** Where a global installation keeps the driver: inside the command's own folder, or beside it. */
const nativeFolder = (prefix: string): string => {
  const modules = join(prefix, "lib", "node_modules")
  const inside = join(modules, "alluka", "node_modules")
  return readdirSync(modules).includes("better-sqlite3") ? modules : inside
}
