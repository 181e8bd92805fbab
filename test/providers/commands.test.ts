/** `alluka providers show` and `test`: what is told of a provider, and what a trial of it finds out. */
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { Document } from "../support/documents.js"
import { exit, line, stdout } from "../support/stub/script.js"
import { lineSubject } from "./lines.js"
import { serverSubject } from "./server.js"
import { claudeVoice } from "./voices.js"

interface Shown extends Document {
  readonly auth: string | null
  readonly keeps: ReadonlyArray<string>
  readonly loses: ReadonlyArray<string>
}

interface Tested extends Document {
  readonly ok: boolean
  readonly items: ReadonlyArray<{ readonly id: string; readonly status: string; readonly message: string }>
  readonly checkpoints: ReadonlyArray<string>
}

const claude = lineSubject(claudeVoice)

const statusOf = ({ items }: Tested, id: string): string | undefined => items.find((item) => item.id === id)?.status

test("show tells the program, its version, its sign-in, and what continues", async () => {
  const { world } = await claude.open()
  world.stub("claude", {
    fresh: [],
    commands: {
      "--version": [stdout("2.1.332 (Claude Code)\n"), exit(0)],
      auth: [line({ loggedIn: false, authMethod: "none" }), exit(1)]
    }
  })
  const shown = await world.json<Shown>(["providers", "show", "claude"])
  expect(shown).toMatchObject({
    kind: "provider",
    installed: true,
    command: `${world.bin}/claude`,
    program_version: "2.1.332",
    auth: "absent"
  })
  expect(shown.keeps.join("\n")).toMatch(/conversation.*\n.*model.*\n.*thinking.*given again/)
  const words = await world.run(["providers", "show", "claude"])
  expect(words.stdout).toMatch(/sign-in +not signed in/)
  expect(words.stdout).toContain("2.1.332")
  const kimi = await world.json<Shown>(["providers", "show", "kimi"])
  expect(kimi).toMatchObject({ installed: false, auth: null, program_version: null })
  expect(kimi.loses.join("\n")).toMatch(/thinking/)
  expect((await world.run(["providers", "show", "nobody"])).code).toBe(4)
})

/** A claude that answers with what it was told first in the conversation, or with something else. */
const remembering = (answer: string) => ({
  fresh: [...claudeVoice.opened("$SESSION"), ...claudeVoice.said("OK"), ...claudeVoice.succeeded("$SESSION"), exit(0)],
  resume: [
    ...claudeVoice.opened("$SESSION"),
    ...claudeVoice.said(answer),
    ...claudeVoice.succeeded("$SESSION"),
    exit(0)
  ]
})

test("a trial goes on in the conversation and says honestly what that proves", async () => {
  const { world } = await claude.open()
  world.stub("claude", remembering("no idea"))
  const ended = await world.run(["providers", "test", "claude", "--json", "-m", "M-1", "--thinking", "high"])
  expect(ended.code, describeEnd(ended)).toBe(0)
  const report = ended.document<Tested>()
  expect(report).toMatchObject({ kind: "provider_test", ok: true })
  expect(statusOf(report, "conversation")).toBe("warning")
  expect(statusOf(report, "model")).toBe("ok")
  expect(statusOf(report, "permission")).toBe("ok")
  const [first, second] = world.stubStarts().filter(({ argv }) => argv.includes("-p"))
  expect(second).toMatchObject({ resumed: true, session: first?.session })
  expect(first?.stdin).toMatch(/Remember this word: alluka-[0-9a-f]{6}/)
  expect(first?.cwd).not.toBe(world.work)
  expect(report.checkpoints).toHaveLength(2)
  expect((await world.json<Document & { items: ReadonlyArray<unknown> }>(["runs", "list"])).items).toEqual([])
})

test("a trial finds a provider that goes on with another model, or not at all", async () => {
  const { world } = await claude.open()
  world.stub("claude", {
    ...remembering("no idea"),
    resume: [
      line({ type: "system", subtype: "init", session_id: "$SESSION", model: "other", permissionMode: "default" }),
      ...remembering("").resume.slice(1)
    ]
  })
  const ended = await world.run(["providers", "test", "claude", "--json", "-m", "M-1"])
  expect(ended.code, describeEnd(ended)).toBe(1)
  const report = ended.document<Tested>()
  expect(report.ok).toBe(false)
  expect(statusOf(report, "model")).toBe("problem")

  world.stub("claude", { fresh: [...claudeVoice.opened("$SESSION"), ...claudeVoice.ends.auth.steps] })
  const signedOut = await world.run(["providers", "test", "claude", "--json"])
  expect(signedOut.code, describeEnd(signedOut)).toBe(7)
  expect(statusOf(signedOut.document<Tested>(), "run")).toBe("problem")
  expect((await world.run(["providers", "test", "codex", "--json"])).code).toBe(4)
})

test("a trial of a conversation that Alluka keeps sends it again", async () => {
  const stage = await serverSubject.open()
  stage.plan({ do: "finish" })
  const ended = await stage.world.run(["providers", "test", serverSubject.id, "--json"])
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(stage.heard().at(-1)?.earlier?.join("\n")).toMatch(/Remember this word/)
})
