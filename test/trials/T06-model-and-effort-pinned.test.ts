/** T06: a resume uses the recorded model and thinking level, unshortened, whatever the defaults became. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { openWorld, type World } from "../support/world.js"
import { endedCheckpoint, interrupted, resume, task } from "./runs.js"
import { stubs } from "./stubs.js"

/** The user's defaults, in the providers' own files. */
const setDefaults = (world: World, model: string, effort: string): void => {
  mkdirSync(join(world.home, ".claude"), { recursive: true })
  writeFileSync(join(world.home, ".claude/settings.json"), JSON.stringify({ model, effortLevel: effort }))
  mkdirSync(join(world.home, ".codex"), { recursive: true })
  writeFileSync(join(world.home, ".codex/config.toml"), `model = "${model}"\nmodel_reasoning_effort = "${effort}"\n`)
}

const flags = ["--model", "M-1[1m]", "--thinking", "high"]

describe.each(stubs)("$name", (provider) => {
  test("the resumed agent is given the recorded model and level, the follow-up once, and the task not again", async () => {
    const world = openWorld()
    const source = await interrupted(world, provider, flags)
    setDefaults(world, "M-2", "low")
    world.stub(provider.name, { fresh: provider.finished })
    const ended = await resume(world, source.id)
    expect(ended.code, describeEnd(ended)).toBe(0)

    const call = world.stubStarts().at(-1)
    const argv = call?.argv ?? []
    expect(
      argv.some((arg) => arg === "M-1[1m]" || arg === "model=M-1[1m]" || arg === 'model="M-1[1m]"'),
      argv.join(" ")
    ).toBe(true)
    expect(argv.join(" ")).not.toContain("M-2")
    if (provider.takesThinking) expect(argv.join(" ")).toMatch(/\bhigh\b/)
    const sent = [...argv, call?.stdin ?? ""].join("\n")
    expect(sent.split("go on")).toHaveLength(2)
    expect(sent).not.toContain(task)
    expect(call?.session).toBe(source.provider_session?.id)
    expect(await endedCheckpoint(world, ended)).toMatchObject({
      model: { requested: "M-1[1m]" },
      thinking: { requested: "high" }
    })
  })

  test("--model on the resume wins, and the old checkpoint still shows the old one", async () => {
    const world = openWorld()
    const source = await interrupted(world, provider, flags)
    world.stub(provider.name, { fresh: provider.finished })
    const ended = await resume(world, source.id, ["--model", "M-3"])
    expect(ended.code, describeEnd(ended)).toBe(0)
    const argv = world.stubStarts().at(-1)?.argv.join(" ") ?? ""
    expect(argv).toContain("M-3")
    expect(argv).not.toContain("M-1")
    expect(await endedCheckpoint(world, ended)).toMatchObject({ model: { requested: "M-3" } })
    expect(await world.show(source.id)).toMatchObject({ model: { requested: "M-1[1m]" } })
  })
})

describe.each(stubs.filter((provider) => provider.reportingModel !== null))("$name", (provider) => {
  test("an agent that reports another model than asked for is flagged in show, list and JSON", async () => {
    const world = openWorld()
    world.stub(provider.name, { fresh: provider.reportingModel?.("M-2") ?? [] })
    const ended = await world.run(["run", "--json", "--provider", provider.name, ...flags, "-p", task])
    expect(ended.code, describeEnd(ended)).toBe(0)
    const checkpoint = await endedCheckpoint(world, ended)
    expect(checkpoint.model).toEqual({ requested: "M-1[1m]", actual: "M-2" })
    for (const args of [
      ["runs", "show", checkpoint.id],
      ["runs", "list"]
    ]) {
      const shown = await world.run(args)
      expect(shown.stdout, args.join(" ")).toMatch(/requested M-1\[1m\], actual M-2/)
    }
  })
})
