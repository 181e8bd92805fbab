/** Installs a peer from npm into a folder of its own in the user's cache, once, and loads modules from there. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"

const cache = () =>
  process.env.ALLUKA_BENCH_PEERS_DIR ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "alluka-bench-peers")

const installMs = 300_000

const require = createRequire(import.meta.url)
const driver = dirname(require.resolve("better-sqlite3/package.json"))
const driverVersion = JSON.parse(readFileSync(join(driver, "package.json"), "utf8")).version
const native = "build/Release/better_sqlite3.node"

/**
 * The driver as this project has it: the same SQLite under all, and nothing to compile. No package's own scripts are run.
 */
const shareDriver = (folder) => {
  const theirs = join(folder, "node_modules", "better-sqlite3")
  if (!existsSync(theirs)) return
  mkdirSync(dirname(join(theirs, native)), { recursive: true })
  copyFileSync(join(driver, native), join(theirs, native))
}

const folderOf = ({ name, packages }) => {
  const hash = createHash("sha256").update(
    JSON.stringify([packages, process.platform, process.arch, process.versions.modules])
  )
  return join(cache(), `${name}-${hash.digest("hex").slice(0, 12)}`)
}

const install = async (peer, folder) => {
  const partial = `${folder}.partial-${process.pid}`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  writeFileSync(
    join(partial, "package.json"),
    JSON.stringify({
      name: `alluka-bench-${peer.name}`,
      private: true,
      dependencies: peer.packages,
      overrides: { "better-sqlite3": driverVersion }
    })
  )
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", partial]
  await promisify(execFile)("npm", args, { cwd: partial, timeout: installMs })
  shareDriver(partial)
  rmSync(folder, { recursive: true, force: true })
  renameSync(partial, folder)
}

/** Loads a module of the peer by its name; rejects where npm could not install it. */
export const ensurePeer = async (peer) => {
  const folder = folderOf(peer)
  if (!existsSync(folder)) await install(peer, folder)
  const { resolve } = createRequire(join(folder, "package.json"))
  return (name) => import(pathToFileURL(resolve(name)).href)
}
