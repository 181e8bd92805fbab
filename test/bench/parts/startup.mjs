/** The start of commands without a screen: CPU of the whole process, against a Node that does nothing. */
import { interleave } from "../measure/interleave.mjs"
import { processCpu } from "../measure/processCpu.mjs"
import { median, medianRatio } from "../measure/statistics.mjs"
import { bareEnvironment, givenEnvironment, givenNames, program } from "../program.mjs"

const runs = 10_000

const title = {
  version: "`version`",
  runs_list: `\`runs list --json\` of ${runs.toLocaleString("en")} runs`
}

const measure = async (env, rounds) => {
  const cpu = (...argv) => processCpu([process.execPath, ...argv], env)
  const things = {
    node: () => cpu("-e", "0"),
    version: () => cpu(program, "version"),
    runs_list: () => cpu(program, "runs", "list", "--json")
  }
  // The first ones fetch the files from the disk.
  for (const start of Object.values(things)) start()
  return interleave(rounds, things)
}

const figures = (samples, suffix, words) =>
  Object.keys(title).map((name) => ({
    id: `startup.${name}${suffix}`,
    title: `${title[name]}, CPU of \`node -e 0\`${words}`,
    value: medianRatio(samples[name], samples.node),
    unit: "ratio",
    detail: { cpuMs: median(samples[name]), nodeCpuMs: median(samples.node), samples: samples[name].length }
  }))

export const startup = {
  name: "startup",
  title: "Start of a command",
  run: async ({ note, quick, store }) => {
    const home = await store(runs)
    const rounds = quick ? 15 : 41
    const bare = figures(await measure(bareEnvironment(home), rounds), ".bare", ", in a bare environment")
    const names = givenNames()
    if (names.length === 0) return bare.map((figure) => ({ ...figure, id: figure.id.replace(".bare", "") }))
    note(
      `${names.join(", ")} ${names.length === 1 ? "is" : "are"} set here, and what that costs is in every start of Node; a bare environment has none of it.`
    )
    return [...figures(await measure(givenEnvironment(home), rounds), "", ""), ...bare]
  }
}
