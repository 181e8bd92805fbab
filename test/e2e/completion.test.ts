/** Completion in a real shell. */
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { openWorld, type World } from "../support/world.js"

/** What bash offers for a command line whose last word is being typed. */
const offered = async (world: World, words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const ended = await world.shell(`
    _get_comp_words_by_ref() { cur=\${COMP_WORDS[COMP_CWORD]}; prev=\${COMP_WORDS[COMP_CWORD-1]}; words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; }
    __ltrim_colon_completions() { :; }
    compopt() { :; }
    source <(alluka completion bash)
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
    __alluka_complete
    printf '%s\\n' "\${COMPREPLY[@]}"`)
  expect(ended.code, describeEnd(ended)).toBe(0)
  return ended.stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s/)[0] ?? "")
}

test("bash completes commands, options, their values and runs", async () => {
  const world = openWorld()
  await world.run(["run", "--provider", "demo", "-p", "survey"], { env: { ALLUKA_DEMO_PACE_MS: "0" } })
  expect(await offered(world, ["alluka", "res"])).toEqual(["resume"])
  expect(await offered(world, ["alluka", "runs", ""])).toEqual(
    expect.arrayContaining(["list", "show", "watch", "logs"])
  )
  expect(await offered(world, ["alluka", "runs", "list", "--resum"])).toEqual(["--resumable"])
  expect(await offered(world, ["alluka", "run", "--permission", ""])).toEqual(["read", "edit", "full"])
  const runs = await offered(world, ["alluka", "resume", ""])
  expect(runs[0]).toBe("latest")
  expect(runs[1]).toMatch(/^ckpt_[0-9a-z]{12}$/)
})

test.each(["zsh", "fish", "powershell"])("there is a script for %s", async (shell) => {
  const ended = await openWorld().run(["completion", shell])
  expect(ended.code).toBe(0)
  expect(ended.stdout).toMatch(/complete[\s\S]*alluka/)
})

test("without a store there is a list without runs, and nothing is made", async () => {
  const world = openWorld()
  const ended = await world.run(["complete", "--", "resume", ""])
  expect(ended).toMatchObject({ code: 0, stderr: "" })
  expect(ended.stdout).toContain("latest")
})
