/** `alluka open`: a conversation in its agent's own screen, on a real terminal, with the claim held. */
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document } from "../support/documents.js"
import { exit, stdout, until } from "../support/stub/script.js"
import { openTerminal } from "../support/terminal.js"
import { acpSubjects } from "./acp.js"
import { lineSubject } from "./lines.js"
import { decisionOf, endOf, instruction, interrupted, lastHeard, resumed, task } from "./runs.js"
import type { Stage } from "./subject.js"
import { claudeVoice, codexVoice } from "./voices.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

const screen = { columns: 200, rows: 40 }

/** What the agent shows from now on when it is opened on a terminal. */
const shows = (stage: Stage, program: string, closed: string): void => {
  stage.plan({ do: "finish" })
  stage.world.stub(program, {
    fresh: [{ ignore: ["SIGINT"] }, stdout("SCREEN OF $SESSION\r\n"), until(closed), exit(0)]
  })
}

const tip = async (stage: Stage): Promise<CheckpointDocument | undefined> =>
  (await stage.world.json<List>(["runs", "list"])).items[0]

test.each([
  {
    voice: claudeVoice,
    flags: ["--model", "M-1", "--thinking", "high"],
    told: ["--resume", "M-1", "high", "acceptEdits"]
  },
  { voice: codexVoice, flags: ["--model", "M-1"], told: ["resume", "M-1", "workspace-write"] }
])(
  "$voice.id: the screen has the conversation and its settings, alone, and the run goes on after it",
  async ({ flags, told, voice }) => {
    const subject = lineSubject(voice)
    const stage = await subject.open()
    const { world } = stage
    const source = await interrupted(subject, stage, flags)
    const session = source.provider_session?.id ?? ""
    const closed = world.path("closed")
    shows(stage, voice.program, closed)

    const terminal = openTerminal(world, ["open", source.id], screen)
    await terminal.shows(`SCREEN OF ${session}`, 30_000)
    const start = world.stubStarts().at(-1)
    expect(start?.argv).toEqual(expect.arrayContaining([session, ...told]))
    expect(start?.argv.join(" ")).not.toMatch(/json|ORIGINAL-TASK/)
    expect(start?.cwd).toBe(world.work)

    const meanwhile = await resumed(stage, source.id, { do: "finish" })
    expect(meanwhile.code, describeEnd(meanwhile)).toBe(6)
    expect(decisionOf(meanwhile).reason).toBe("already_running")

    for (let times = 0; times < 4; times++) terminal.write("\u0003")
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(world.marked(), "Ctrl-C is the screen's own affair").not.toEqual([])
    world.touch(closed)
    expect((await terminal.ended(30_000)).exitCode, terminal.output()).toBe(0)
    const opened = await tip(stage)
    expect(opened).toMatchObject({
      state: "interrupted",
      reason: { code: "interactive_ended" },
      resumable: true,
      resumed_from: source.id,
      provider_session: { id: session }
    })

    const ended = await resumed(stage, opened?.id ?? "", { do: "finish" })
    expect(ended.code, describeEnd(ended)).toBe(0)
    const heard = lastHeard(stage)
    expect(heard).toMatchObject({ resumed: true, session, model: "M-1" })
    expect(heard.prompt).toContain(instruction)
    expect(heard.prompt).not.toContain(task)
    expect(await endOf(stage, ended)).toMatchObject({ state: "completed", attempt: 3, root_id: source.id })
  }
)

test("a screen that does not open fails that attempt alone", async () => {
  const subject = lineSubject(claudeVoice)
  const stage = await subject.open()
  const source = await interrupted(subject, stage)
  stage.world.stub("claude", { fresh: [stdout("cannot open it\r\n"), exit(1)] })
  // The stub waits for the end of its input, which a terminal has only when it is typed.
  const terminal = openTerminal(stage.world, ["open", source.id], screen)
  await terminal.shows("continuing", 30_000)
  terminal.write("\u0004")
  expect((await terminal.ended(30_000)).exitCode, terminal.output()).toBe(7)
  expect(terminal.output()).toContain("ended at once with 1")
  expect(await stage.world.show(source.id)).toMatchObject({ resumed_by: null, resumable: true })
})

test("without a terminal, or without a screen, nothing is started", async () => {
  const subject = lineSubject(claudeVoice)
  const stage = await subject.open()
  const source = await interrupted(subject, stage)
  const starts = stage.heard().length
  const piped = await stage.world.run(["open", source.id])
  expect(piped.code, describeEnd(piped)).toBe(2)
  expect(piped.stderr).toMatch(/needs a terminal/)
  expect(stage.heard()).toHaveLength(starts)

  const spoken = acpSubjects.find(({ id }) => id === "my-acp")
  if (spoken === undefined) throw new Error("no such subject")
  const other = await spoken.open()
  const run = await interrupted(spoken, other)
  const terminal = openTerminal(other.world, ["open", run.id], screen)
  expect((await terminal.ended(30_000)).exitCode).toBe(2)
  expect(terminal.output()).toMatch(/has no screen of its own/)
})
