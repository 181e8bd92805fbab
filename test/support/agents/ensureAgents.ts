/**
 * Installs real agents from npm, each into a folder of its own below one cache folder, and says where they are.
 *
 * Safe when several runs start at once (a lock folder per agent, and a finished installation appears by one rename), and
 * quick when they are there. Nothing is skipped quietly: what cannot be installed fails with npm's own words.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { type AgentName, type AgentSpec, agents, newerNode } from "./catalogue.js"

export interface InstalledAgent {
  readonly name: string
  /** Folder to put on PATH. */
  readonly bin: string
  readonly program: string
  readonly version: string
}

/** `ALLUKA_TEST_AGENTS_DIR`, else a folder of the user's cache. */
export const agentsFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  env.ALLUKA_TEST_AGENTS_DIR ?? join(env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "alluka-test-agents")

const folderName = (spec: AgentSpec): string => {
  const hash = createHash("sha256")
    .update(JSON.stringify([spec.packages, spec.after, process.platform, process.arch]))
    .digest("hex")
  return `${spec.name}-${spec.version}-${hash.slice(0, 12)}`
}

const run = (command: string, args: ReadonlyArray<string>, cwd: string, withinMs: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
    const chunks: Array<Buffer> = []
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk))
    const timer = setTimeout(() => child.kill("SIGKILL"), withinMs)
    child.once("error", reject)
    child.once("close", (code, signal) => {
      clearTimeout(timer)
      const output = Buffer.concat(chunks).toString("utf8")
      if (code === 0) resolve(output)
      else reject(new Error(`${command} ${args.join(" ")} ended with ${signal ?? code}:\n${output}`))
    })
  })

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Whether the process that made the lock is gone, or never wrote who it is. */
const isAbandoned = async (lock: string): Promise<boolean> => {
  const written = await readFile(join(lock, "pid"), "utf8").catch(() => null)
  if (written !== null) return !isAlive(Number(written))
  const made = await stat(lock).catch(() => null)
  return made !== null && Date.now() - made.mtimeMs > 10_000
}

const takeLock = async (lock: string, isReady: () => boolean): Promise<boolean> => {
  const deadline = Date.now() + 300_000
  while (Date.now() < deadline) {
    if (isReady()) return false
    const made = await mkdir(lock).then(
      () => true,
      (cause: NodeJS.ErrnoException) => {
        if (cause.code === "EEXIST") return false
        throw cause
      }
    )
    if (made) {
      await writeFile(join(lock, "pid"), String(process.pid))
      return true
    }
    if (await isAbandoned(lock)) {
      // Only one of several waiters wins the rename, so only an abandoned lock is ever taken away.
      const aside = `${lock}.${process.pid}`
      const moved = await rename(lock, aside).then(
        () => true,
        () => false
      )
      if (moved) await rm(aside, { recursive: true, force: true })
    } else await delay(200)
  }
  throw new Error(`another run has held ${lock} for five minutes; remove it if that run is gone`)
}

/** Where a program of a finished installation is. */
const programIn = (folder: string, spec: AgentSpec): string =>
  spec.newerNode === true ? join(folder, "bin", spec.program) : join(folder, "node_modules/.bin", spec.program)

/** Starts the program by the Node that it needs, whichever is first on PATH. */
const wrap = async (spec: AgentSpec, node: string, folder: string, at: string): Promise<void> => {
  const program = join(folder, "node_modules/.bin", spec.program)
  await mkdir(join(at, "bin"), { recursive: true })
  await writeFile(join(at, "bin", spec.program), `#!/bin/sh\nexec "${node}" "${program}" "$@"\n`, { mode: 0o755 })
}

const install = async (spec: AgentSpec, folder: string, node: string | null): Promise<void> => {
  const partial = `${folder}.partial-${process.pid}`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  await writeFile(
    join(partial, "package.json"),
    JSON.stringify({ name: `alluka-test-agent-${spec.name}`, private: true, dependencies: spec.packages })
  )
  await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", partial], partial, 240_000)
  if (spec.after !== null) await run(process.execPath, [join(partial, "node_modules", spec.after)], partial, 60_000)
  const asked = join(partial, "node_modules/.bin", spec.program)
  const said =
    node === null
      ? await run(asked, ["--version"], partial, 60_000)
      : await run(node, [asked, "--version"], partial, 60_000)
  if (!said.includes(spec.version)) throw new Error(`${spec.name}: installed ${said.trim()}, wanted ${spec.version}`)
  if (node !== null) await wrap(spec, node, folder, partial)
  await rm(folder, { recursive: true, force: true })
  await rename(partial, folder)
}

const ensureAgent = async (spec: AgentSpec, root: string): Promise<InstalledAgent> => {
  const folder = join(root, folderName(spec))
  const program = programIn(folder, spec)
  const isReady = (): boolean => existsSync(program)
  if (!isReady()) {
    const node = spec.newerNode === true ? (await ensureAgent(newerNode, root)).program : null
    await mkdir(root, { recursive: true })
    const lock = `${folder}.lock`
    if (await takeLock(lock, isReady)) {
      try {
        if (!isReady()) await install(spec, folder, node)
      } finally {
        await rm(lock, { recursive: true, force: true })
      }
    }
  }
  return { name: spec.name, bin: dirname(program), program, version: spec.version }
}

/**
 * Makes the named agents available.
 *
 * @param names agents of the catalogue; one that is there already costs a look at the disk
 * @returns where each is; rejects with npm's output where one cannot be installed
 */
export const ensureAgents = async <const Name extends AgentName>(
  ...names: ReadonlyArray<Name>
): Promise<Readonly<Record<Name, InstalledAgent>>> => {
  const installed = await Promise.all(
    names.map(async (name) => [name, await ensureAgent(agents[name], agentsFolder())] as const)
  )
  return Object.fromEntries(installed) as Record<Name, InstalledAgent>
}
