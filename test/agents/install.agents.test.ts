/** The installer itself: two at once, and after one that was killed in the middle. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { agentsFolder, ensureAgents } from "../support/agents/ensureAgents.js"

test("two that start together share one installation, and an abandoned lock is in nobody's way", async () => {
  const known = await ensureAgents("codex")
  const folder = basename(dirname(dirname(dirname(known.codex.program))))
  const root = mkdtempSync(join(tmpdir(), "alluka-agents-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  vi.stubEnv("ALLUKA_TEST_AGENTS_DIR", root)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  expect(agentsFolder()).toBe(root)
  // Left by an installer that is gone: no process has this number, which is beyond the largest.
  mkdirSync(join(root, `${folder}.lock`))
  writeFileSync(join(root, `${folder}.lock`, "pid"), "4194999")

  const [first, second] = await Promise.all([ensureAgents("codex"), ensureAgents("codex")])
  expect(first).toEqual(second)
  expect(readdirSync(root)).toEqual([folder])
  expect(execFileSync(first.codex.program, ["--version"], { encoding: "utf8" })).toContain(first.codex.version)
})
