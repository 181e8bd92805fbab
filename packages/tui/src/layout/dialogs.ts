/** The dialogs as blocks of lines. */

import { Decision } from "@alluka/core"
import {
  type CancelDialog,
  type Dialog,
  type HelpDialog,
  maxFollowUp,
  type RenameDialog,
  type ResumeDialog,
  type ResumeManyDialog,
  type RunDialog,
  type StartTasksDialog,
  type TaskDialog
} from "../model/Dialog.js"
import type { Model } from "../model/Model.js"
import { modelName, phaseOf, type Run } from "../model/Run.js"
import { resumeOptions, takesFollowUp } from "../model/resumeOptions.js"
import { isWaiting } from "../model/waiting.js"
import { type Glyphs, glyphsOf, sayIn, stateGlyph } from "../theme/glyphs.js"
import { fieldsOf, levelsOf, providerOf } from "../update/runDialog.js"
import { twinOf } from "../update/step.js"
import { startOptions } from "../update/tasks.js"
import { type Block, blockOf } from "./blocks.js"
import { contentHeight } from "./box.js"
import { fit } from "./cells.js"
import { decisionBody, decisionBrief, decisionHead } from "./decisionLines.js"
import { fieldRows, inField } from "./field.js"
import { blank, clipLine, type Line, lineOf, type Span, span, spread } from "./Line.js"
import { sinceText } from "./time.js"
import { wrap } from "./wrap.js"

interface Place {
  readonly width: number
  /** Lines for everything; a small one makes the dialog compact. */
  readonly height: number
  readonly glyphs: Glyphs
}

const gap = blockOf([blank], { min: 0, rank: 9 })

const titled = (word: string, title: string, id: string, { width, glyphs }: Place): Block =>
  blockOf([spread([span(`${word}  `, "heading"), span(title)], [span(id, "dim")], width, glyphs.ellipsis)])

const paragraph = (
  text: string,
  { width, glyphs }: Place,
  tone: Span["tone"] = "plain",
  indent = "  "
): ReadonlyArray<Line> =>
  wrap(sayIn(glyphs, text), Math.max(8, width - indent.length)).map((line): Line => [span(indent), span(line, tone)])

const optionLine = (
  title: string,
  selected: boolean,
  focused: boolean,
  hint: string,
  { width, glyphs }: Place
): Line => [
  span(selected ? ` ${glyphs.cursor} ` : "   ", "strong"),
  span(fit(title, Math.min(64, Math.max(10, width - 12)), glyphs.ellipsis), "plain", {
    inverse: selected && focused
  }),
  span(`  (${hint})`, "dim")
]

// ---------------------------------------------------------------- resume

/** `room`: rows that everything else of the dialog can leave to the text. */
const textBox = (dialog: ResumeDialog, place: Place, room: number): ReadonlyArray<Block> => {
  const { width, height, glyphs } = place
  const active = dialog.focus === "text"
  if (height < 12) {
    const text = active ? inField(dialog.field, Math.max(4, width - 13)).line : [span(dialog.field.text)]
    return [
      blockOf([clipLine([span("Follow-up  ", active ? "heading" : "dim"), ...text], width, glyphs.ellipsis)], {
        min: 1,
        rank: 2
      })
    ]
  }
  const compact = height < 20
  const cellsInside = Math.max(4, width - 6)
  const { total } = fieldRows(dialog.field, cellsInside, 1, active)
  const wanted = compact ? Math.min(3, total) : Math.min(6, Math.max(3, total))
  const rows = Math.max(1, Math.min(wanted, room))
  const inside = fieldRows(dialog.field, cellsInside, rows, active)
  const counter = `${dialog.field.text.length}/${maxFollowUp} ${glyphs.bullet} ctrl+g editor`
  const heading = spread(
    [span("Follow-up (optional)", active ? "heading" : "dim")],
    [span(counter, "dim")],
    width,
    glyphs.ellipsis
  )
  const lines = inside.lines.map((line): Line => [span(`  ${glyphs.vertical} `, active ? "accent" : "dim"), ...line])
  const padded = compact
    ? lines
    : [
        ...lines,
        ...Array.from({ length: Math.max(0, rows - lines.length) }, (): Line => [span(`  ${glyphs.vertical}`, "dim")])
      ]
  return [blockOf([heading], { min: 1, rank: 1 }), blockOf(padded)]
}

const valueBox = (dialog: ResumeDialog, place: Place): ReadonlyArray<Block> => {
  if (dialog.asking === null) return []
  const question = dialog.asking === "cd" ? "Folder where the work is now:" : "Model to go on with:"
  return [
    blockOf([
      lineOf(question, "heading"),
      [span("  > ", "accent"), ...inField(dialog.value, Math.max(4, place.width - 6)).line]
    ])
  ]
}

const twinText = (model: Model, dialog: ResumeDialog): string => {
  const decision = dialog.decision
  const option = decision === null ? undefined : resumeOptions(decision)[dialog.option]
  const consents = [...new Set([...dialog.consents, ...(option?.consents ?? [])])]
  return twinOf(model, ["resume", dialog.id, ...consents.map((consent) => Decision.consentFlag[consent])])
}

const resumeBlocks = (model: Model, dialog: ResumeDialog, place: Place): ReadonlyArray<Block> => {
  const { width, glyphs, height } = place
  const compact = height < 16
  const say = (text: string): string => sayIn(glyphs, text)
  const head = titled("Resume", dialog.title, dialog.id, place)
  const { decision } = dialog
  if (decision === null) {
    const trouble = dialog.trouble === null ? [] : [blockOf(paragraph(dialog.trouble, place, "bad"))]
    return [
      head,
      gap,
      ...(dialog.trouble === null ? [blockOf([lineOf(say("  Looking at what a resume would do…"), "dim")])] : trouble),
      gap,
      blockOf([lineOf("esc back", "dim")])
    ]
  }
  const options = resumeOptions(decision)
  const refusing = decision.status === "refusing_to_resume"
  const followUp = takesFollowUp(decision)
  const busy = dialog.step === "starting" ? "Starting…" : dialog.step === "checking" ? "Checking once more…" : null
  const buttons: ReadonlyArray<Line> = !refusing
    ? [
        options.flatMap((option, index): ReadonlyArray<Span> => {
          const chosen = index === dialog.option
          return [
            span(chosen ? `[ ${option.title} ]` : `  ${option.title}  `, chosen ? "strong" : "plain", {
              inverse: chosen && dialog.focus === "options"
            }),
            span("  ")
          ]
        })
      ]
    : options.map((option, index) =>
        optionLine(
          option.title,
          index === dialog.option,
          dialog.focus === "options",
          option.kind === "leave" ? "esc" : `${index + 1}`,
          place
        )
      )
  const keys =
    dialog.focus === "value"
      ? "enter go on · esc back"
      : dialog.focus === "text"
        ? `enter ${decision.status === "resuming_same_session" ? "resume" : "to the choices"} · alt+enter or ctrl+j newline · esc back`
        : refusing && followUp
          ? "enter chooses · tab follow-up · esc back"
          : "enter chooses · esc back"
  const freshNote =
    options.some(({ kind }) => kind === "fresh") && dialog.focus === "options"
      ? paragraph("A fresh start is never the default: choose it, or press F.", place, "dim", "")
      : []
  const body = height < 12 ? decisionBrief(decision, glyphs, width) : decisionBody(decision, glyphs, width)
  const above: ReadonlyArray<Block> = [
    head,
    gap,
    ...(dialog.changed === null ? [] : [blockOf(paragraph(dialog.changed, place, "warn", ""), { min: 1, rank: 1 })]),
    blockOf(decisionHead(decision, glyphs, width), { min: 1, rank: 1 }),
    blockOf(body, { min: compact ? 2 : Math.min(6, body.length), rank: 3 })
  ]
  const below: ReadonlyArray<Block> = [
    ...valueBox(dialog, place),
    gap,
    ...(refusing ? [blockOf([lineOf("What you can do", "heading")], { min: 0, rank: 6 })] : []),
    blockOf(buttons),
    ...(freshNote.length === 0 ? [] : [blockOf(freshNote, { min: 0, rank: 5 })]),
    ...(dialog.trouble === null ? [] : [blockOf(paragraph(dialog.trouble, place, "bad", ""), { min: 1, rank: 1 })]),
    ...(refusing && options.length > 1
      ? [
          blockOf(
            [
              clipLine(
                [span("Same from a script:  ", "dim"), span(twinText(model, dialog), "dim")],
                width,
                glyphs.ellipsis
              )
            ],
            {
              min: 0,
              rank: 7
            }
          )
        ]
      : []),
    blockOf([lineOf(say(busy ?? keys), busy === null ? "dim" : "accent")], { min: 0, rank: 2 })
  ]
  if (!followUp) return [...above, ...below]
  const needed = [...above, ...below].reduce((sum, { min }) => sum + min, 0)
  // The heading of the text and the line of keys stay too.
  const room = contentHeight(width, height) - needed - 2
  return [...above, gap, ...textBox(dialog, place, room), ...below]
}

// ---------------------------------------------------------------- cancel, many

/** The run has ended; what is cancelled is the waiting for its reset. */
const stopWaitingBlocks = ({ checkpoint }: Run, place: Place): ReadonlyArray<Block> => [
  titled("Stop waiting?", checkpoint.title, checkpoint.id, place),
  gap,
  blockOf(
    paragraph(
      "It was to go on by itself when its usage limit resets. The waiting ends; the run stays as it is, and can be resumed.",
      place
    ),
    { min: 1, rank: 3 }
  ),
  gap,
  blockOf([
    [
      span("  y", "strong"),
      span(" stop waiting      "),
      span("n / esc", "strong"),
      span(" keep waiting   "),
      span("[n]", "dim")
    ]
  ])
]

const cancelBlocks = (model: Model, dialog: CancelDialog, place: Place): ReadonlyArray<Block> => {
  const { glyphs, width } = place
  const one = dialog.runs.length === 1 ? dialog.runs[0] : undefined
  const only = one === undefined ? undefined : model.runs.get(one.id)
  if (only !== undefined && isWaiting(model, only)) return stopWaitingBlocks(only, place)
  const rows = dialog.runs.map(({ id, title }): Line => {
    const run = model.runs.get(id)
    const glyph = stateGlyph(glyphs, "running", { spin: null, silent: false })
    const what =
      run === undefined
        ? id
        : `${phaseOf(run).provider} ${modelName(phaseOf(run))} ${glyphs.bullet} running ${sinceText(run.checkpoint.startedAt, model.now)}`
    return clipLine(
      [span(`  ${glyph.text} `, glyph.tone), span(title), span(` ${glyphs.bullet} ${what}`, "dim")],
      width,
      glyphs.ellipsis
    )
  })
  return [
    titled(one === undefined ? `Cancel ${dialog.runs.length} runs?` : "Cancel run?", "", one?.id ?? "", place),
    gap,
    blockOf(rows, { min: Math.min(3, rows.length), rank: 4 }),
    blockOf(
      paragraph(
        "The agent and everything it started are told to stop, and killed if they do not. The checkpoint is kept as cancelled; the conversation and the files on disk are not touched.",
        place
      ),
      { min: 1, rank: 3 }
    ),
    gap,
    blockOf([
      [
        span("  y", "strong"),
        span(` cancel ${one === undefined ? "them" : "the run"}      `),
        span("n / esc", "strong"),
        span(` keep ${one === undefined ? "them" : "it"} running   `),
        span("[n]", "dim")
      ]
    ])
  ]
}

const manyBlocks = (model: Model, dialog: ResumeManyDialog, place: Place): ReadonlyArray<Block> => {
  const { width, glyphs } = place
  const go = dialog.go.map(({ title, id }) =>
    clipLine([span(sayIn(glyphs, "  » "), "good"), span(title), span(`  ${id}`, "dim")], width, glyphs.ellipsis)
  )
  const skip = dialog.skip.map(({ title, why }) =>
    clipLine([span("  ! ", "warn"), span(title), span(sayIn(glyphs, `  ${why}`), "dim")], width, glyphs.ellipsis)
  )
  return [
    titled(`Resume ${dialog.go.length} run${dialog.go.length === 1 ? "" : "s"} in the same session?`, "", "", place),
    gap,
    blockOf(go.length === 0 ? [lineOf("  None of the marked runs can simply go on.")] : go, { min: 2, rank: 4 }),
    ...(skip.length === 0 ? [] : [blockOf([lineOf("Left alone:", "heading"), ...skip], { min: 2, rank: 5 })]),
    gap,
    blockOf([
      go.length === 0
        ? [span("  esc", "strong"), span(" back")]
        : [
            span("  y", "strong"),
            span(" resume them      "),
            span("n / esc", "strong"),
            span(" leave them   "),
            span("[n]", "dim")
          ]
    ]),
    ...(go.length === 0
      ? []
      : [
          gap,
          blockOf(
            [
              clipLine(
                [
                  span("Same from a script, for each:  ", "dim"),
                  span(twinOf(model, ["resume", dialog.go[0]?.id ?? "ID"]), "dim")
                ],
                width,
                glyphs.ellipsis
              )
            ],
            { min: 0, rank: 6 }
          )
        ])
  ]
}

// ---------------------------------------------------------------- new run

const choiceLine = (name: string, value: string, focused: boolean, hint: string, { width, glyphs }: Place): Line =>
  clipLine(
    [
      span(focused ? `${glyphs.cursor} ` : "  ", "strong"),
      span(fit(name, 11, glyphs.ellipsis), focused ? "heading" : "dim"),
      span(focused ? "< " : "  ", "dim"),
      span(value, "plain", { inverse: focused }),
      span(focused ? " >" : "  ", "dim"),
      span(`  ${hint}`, "dim")
    ],
    width,
    glyphs.ellipsis
  )

const permissionWords = { read: "may look, not change", edit: "may change files", full: "may do anything" } as const

const runBlocks = (model: Model, dialog: RunDialog, place: Place): ReadonlyArray<Block> => {
  const { width, height, glyphs } = place
  const say = (text: string): string => sayIn(glyphs, text)
  const fields = fieldsOf(model, dialog)
  const active = dialog.focus === "prompt"
  const count = dialog.prompt.text.split("\n").length
  const rows = Math.min(height < 20 ? 3 : 8, Math.max(height < 16 ? 1 : 3, count))
  const prompt = fieldRows(dialog.prompt, Math.max(4, width - 6), rows, active)
  const provider = providerOf(model, dialog)
  const lines: ReadonlyArray<Line> = [
    choiceLine(
      "provider",
      provider === null ? (model.providers === null ? say("looking…") : "none installed") : provider.id,
      dialog.focus === "provider",
      provider?.id === "demo" ? "a scripted agent, no model" : (provider?.title ?? ""),
      place
    ),
    clipLine(
      [
        span(dialog.focus === "model" ? `${glyphs.cursor} ` : "  ", "strong"),
        span(fit("model", 11, glyphs.ellipsis), dialog.focus === "model" ? "heading" : "dim"),
        span("  "),
        ...(dialog.focus === "model"
          ? inField(dialog.model, Math.max(8, width - 18)).line
          : [
              span(
                dialog.model.text === "" ? "the provider's default" : dialog.model.text,
                dialog.model.text === "" ? "dim" : "plain"
              )
            ])
      ],
      width,
      glyphs.ellipsis
    ),
    ...(fields.includes("thinking")
      ? [
          choiceLine(
            "thinking",
            levelsOf(model, dialog)[dialog.thinking] ?? "default",
            dialog.focus === "thinking",
            "",
            place
          )
        ]
      : []),
    choiceLine(
      "permission",
      dialog.permission,
      dialog.focus === "permission",
      permissionWords[dialog.permission],
      place
    ),
    clipLine(
      [span("  "), span(fit("folder", 11, glyphs.ellipsis), "dim"), span("  "), span(model.settings.cwd)],
      width,
      glyphs.ellipsis
    )
  ]
  const start = dialog.step === "starting" ? say("Starting…") : "[ Start ]"
  return [
    titled(
      dialog.session === null ? "New run" : "New run in the session of",
      dialog.session?.title ?? "",
      dialog.session?.id ?? "",
      place
    ),
    gap,
    blockOf([
      spread(
        [span("What should the agent do?", active ? "heading" : "dim")],
        [span("ctrl+g editor", "dim")],
        width,
        glyphs.ellipsis
      )
    ]),
    blockOf(
      prompt.lines.map((line): Line => [span(`  ${glyphs.vertical} `, active ? "accent" : "dim"), ...line]),
      { min: 1, rank: 4 }
    ),
    gap,
    blockOf(lines, { min: 3, rank: 3 }),
    gap,
    ...(dialog.trouble === null ? [] : [blockOf(paragraph(dialog.trouble, place, "bad", ""), { min: 1, rank: 1 })]),
    blockOf([[span("  "), span(start, "strong", { inverse: dialog.focus === "start" })]], { min: 1, rank: 1 }),
    blockOf([lineOf(say("enter start · tab next field · alt+enter newline · esc back"), "dim")], { min: 0, rank: 5 })
  ]
}

const renameBlocks = (dialog: RenameDialog, place: Place): ReadonlyArray<Block> => [
  titled("Rename", "", dialog.id, place),
  gap,
  blockOf([[span("  > ", "accent"), ...inField(dialog.field, Math.max(4, place.width - 6)).line]]),
  gap,
  blockOf([lineOf(sayIn(place.glyphs, "enter keep · esc back"), "dim")])
]

// ---------------------------------------------------------------- tasks

const taskBlocks = (dialog: TaskDialog, place: Place): ReadonlyArray<Block> => {
  const { width, height, glyphs } = place
  const cellsInside = Math.max(4, width - 6)
  const { total } = fieldRows(dialog.field, cellsInside, 1, true)
  const rows = Math.max(1, Math.min(contentHeight(width, height) - 5, Math.max(height < 16 ? 2 : 4, total)))
  return [
    titled(dialog.id === null ? "New task" : "Edit", dialog.id ?? "", dialog.folder, place),
    gap,
    blockOf([spread([span("What is to be done?", "heading")], [span("ctrl+g editor", "dim")], width, glyphs.ellipsis)]),
    blockOf(
      fieldRows(dialog.field, cellsInside, rows, true).lines.map(
        (line): Line => [span(`  ${glyphs.vertical} `, "accent"), ...line]
      ),
      { min: 1, rank: 4 }
    ),
    gap,
    ...(dialog.trouble === null ? [] : [blockOf(paragraph(dialog.trouble, place, "warn", ""), { min: 1, rank: 1 })]),
    blockOf(
      [
        lineOf(
          sayIn(glyphs, dialog.step === "saving" ? "Saving…" : "enter keep · alt+enter newline · esc back"),
          dialog.step === "saving" ? "accent" : "dim"
        )
      ],
      { min: 0, rank: 5 }
    )
  ]
}

const startTasksBlocks = (model: Model, dialog: StartTasksDialog, place: Place): ReadonlyArray<Block> => {
  const { glyphs } = place
  const options = startOptions(dialog)
  return [
    titled("Start", dialog.title, dialog.id, place),
    gap,
    blockOf(
      paragraph(
        "It works in the background, with the permissions of the tasks and the configuration; leaving the monitor does not stop it.",
        place
      ),
      { min: 1, rank: 4 }
    ),
    gap,
    blockOf(
      options.map((title, index) =>
        optionLine(title, index === dialog.option, true, index === options.length - 1 ? "esc" : `${index + 1}`, place)
      )
    ),
    gap,
    blockOf(
      [
        clipLine(
          [
            span("Same from a script:  ", "dim"),
            span(
              twinOf(model, [
                "task",
                "run",
                ...(dialog.option === 0 ? ["one", "--id", dialog.id] : ["loop", "--resume"]),
                "-C",
                dialog.folder
              ]),
              "dim"
            )
          ],
          place.width,
          glyphs.ellipsis
        )
      ],
      { min: 0, rank: 7 }
    ),
    blockOf([lineOf(sayIn(glyphs, "enter chooses · esc back"), "dim")], { min: 0, rank: 5 })
  ]
}

/** The blocks of a dialog other than help and palette. */
export const dialogBlocks = (
  model: Model,
  dialog: Exclude<Dialog, HelpDialog>,
  width: number,
  height: number
): ReadonlyArray<Block> => {
  const place: Place = { width, height, glyphs: glyphsOf(model.settings.ascii) }
  switch (dialog.kind) {
    case "resume":
      return resumeBlocks(model, dialog, place)
    case "cancel":
      return cancelBlocks(model, dialog, place)
    case "resumeMany":
      return manyBlocks(model, dialog, place)
    case "run":
      return runBlocks(model, dialog, place)
    case "rename":
      return renameBlocks(dialog, place)
    case "task":
      return taskBlocks(dialog, place)
    case "startTasks":
      return startTasksBlocks(model, dialog, place)
  }
}
