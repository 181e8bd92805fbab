/** The built program, which the bench runs as a person does. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const program = fileURLToPath(new URL("../../apps/cli/dist/alluka.cjs", import.meta.url))

/** Why the program cannot be measured; `null`: it can. */
export const notBuilt = () => (existsSync(program) ? null : `${program} is not there: build it first (npm run build)`)

/** The environment of a program that finds only this store, and nothing that changes how Node starts. */
export const bareEnvironment = (home) => ({
  PATH: process.env.PATH ?? "/usr/bin:/bin",
  HOME: home,
  ALLUKA_HOME: home,
  LANG: "C.UTF-8",
  TZ: "UTC"
})

/** The same with what is set here for every Node: certificates to load, options. */
export const givenEnvironment = (home) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("NODE_"))),
  ...bareEnvironment(home)
})

/** The names of what makes a given environment another than a bare one. */
export const givenNames = () => Object.keys(process.env).filter((name) => name.startsWith("NODE_"))
