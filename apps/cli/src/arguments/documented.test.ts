/** Every command that the documentation shows is one: with the arguments and options that it has. */
import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { commandTable, globalOptions, groups } from "../commandTable.js"
import { parse } from "./parse.js"

const root = new URL("../../../../", import.meta.url)
const pages = readdirSync(root)
  .concat(readdirSync(new URL("docs", root)).map((name) => `docs/${name}`))
  .filter((name) => name.endsWith(".md"))

interface Shown {
  readonly page: string
  readonly command: string
  /** Named in a sentence, where its arguments may be left out. */
  readonly inSentence: boolean
}

const shownIn = (page: string): ReadonlyArray<Shown> => {
  const text = readFileSync(new URL(page, root), "utf8")
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) => block.split("\n"))
  const sentences = text.replace(/^```\w*\n[\s\S]*?^```$/gm, "").matchAll(/`(alluka(?:\s[^`]*)?)`/g)
  return [
    ...blocks.flatMap((line) => {
      const command = /^(?:\$ )?(alluka(?: .*)?)$/.exec(line)?.[1]
      return command === undefined ? [] : [{ page, command, inSentence: false }]
    }),
    ...[...sentences].map(([, command = ""]) => ({ page, command, inSentence: true }))
  ]
}

/** What stands for a word of the reader's choice, where not every word will do. */
const examples: Readonly<Record<string, string>> = { N: "1", KEY: "newest" }

/** The words of a command line without what the shell does with its output; of `a|b` every one in turn. */
const argvsOf = (command: string): ReadonlyArray<ReadonlyArray<string>> => {
  const words = [
    ...command
      .replace(/\s+#.*$/, "")
      .replace(/\s+\\?\|\s.*$/, "")
      .matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)
  ].map(([, single, double, plain]) => single ?? double ?? examples[plain ?? ""] ?? plain ?? "")
  return words
    .slice(1)
    .reduce<ReadonlyArray<ReadonlyArray<string>>>(
      (argvs, word) =>
        argvs.flatMap((argv) =>
          (/^[\w-]+(?:\|[\w-]+)+$/.test(word) ? word.split("|") : [word]).map((each) => [...argv, each])
        ),
      [[]]
    )
}

const all = pages.flatMap(shownIn)

test("there are commands in every page that should have some", () => {
  expect([...new Set(all.map(({ page }) => page))]).toEqual(
    expect.arrayContaining([
      "README.md",
      "docs/automation.md",
      "docs/configuration.md",
      "docs/monitor.md",
      "docs/tasks.md"
    ])
  )
})

test.each(all)("$page: $command", ({ command, inSentence }) => {
  for (const argv of argvsOf(command)) {
    const parsed = parse(
      argv,
      { commands: commandTable, groups, globals: globalOptions },
      { program: "alluka", now: 0, width: 100 }
    )
    const problem = parsed._tag === "Usage" ? parsed.message : null
    if (!(inSentence && /^missing required argument/i.test(problem ?? ""))) expect(problem, argv.join(" ")).toBeNull()
  }
})
