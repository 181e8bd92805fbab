import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { eventually } from "../eventually.js"
import { isRunning, processesWith } from "../processes.js"
import { openWorld } from "../world.js"
import { exit, stderr, stdout } from "./script.js"

const call = async (world: ReturnType<typeof openWorld>, name: string, args: ReadonlyArray<string>, input: string) => {
  const running = promisify(execFile)(join(world.bin, name), [...args], {
    cwd: world.work,
    env: { ...world.env, ALLUKA_RUN: "ckpt_x" }
  })
  running.child.stdin?.end(input)
  return running.then(
    ({ stdout: out, stderr: err }) => ({ code: 0, out, err }),
    (cause: { code: number; stdout: string; stderr: string }) => ({
      code: cause.code,
      out: cause.stdout,
      err: cause.stderr
    })
  )
}

test("a stub logs how it was called, and plays its script in the words it was called with", async () => {
  const world = openWorld()
  world.stub("claude", {
    fresh: [stdout("new $SESSION $MODEL\n"), stderr("e\n"), exit(3)],
    resume: [stdout("old $SESSION\n"), exit(0)]
  })
  expect(await call(world, "claude", ["--session-id", "one", "--model", "m"], "hello")).toEqual({
    code: 3,
    out: "new one m\n",
    err: "e\n"
  })
  expect(await call(world, "claude", ["--resume", "one"], "again")).toEqual({ code: 0, out: "old one\n", err: "" })
  expect(world.stubStarts()).toMatchObject([
    {
      name: "claude",
      argv: ["--session-id", "one", "--model", "m"],
      cwd: world.work,
      stdin: "hello",
      run: "ckpt_x",
      session: "one",
      resumed: false
    },
    { stdin: "again", session: "one", resumed: true }
  ])
})

test("what a stub leaves behind carries the marks, and ends with the world", async () => {
  const world = openWorld()
  world.stub("claude", { fresh: [{ grandchild: { seconds: 300 } }, exit(0)] })
  await call(world, "claude", [], "")
  const [left] = await eventually(() => {
    const found = world.marked("ckpt_x")
    return found.length > 0 ? found : null
  })
  expect(left?.command).toBe("sleep 300")
  expect(processesWith("ALLUKA_TEST_WORLD", world.folder).map((one) => one.pid)).toContain(left?.pid)
  expect(isRunning(left?.pid ?? 0)).toBe(true)
})
