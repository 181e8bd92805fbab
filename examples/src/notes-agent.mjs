/**
 * A stand-in for an agent program: `notes-agent.mjs FOLDER --new|--continue ID`, with the prompt on stdin. It keeps each
 * conversation as a file, and says how many notes are in it.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"

const [folder, how, id] = process.argv.slice(2)
const file = join(folder, `${id}.txt`)
const say = (type, words) => console.log(JSON.stringify({ type, text: words }))

if (how === "--continue" && !existsSync(file)) {
  console.error(`no conversation ${id}`)
  process.exit(1)
}
mkdirSync(folder, { recursive: true })
say("open", id)
appendFileSync(file, `${(await text(process.stdin)).split("\n")[0]}\n`)
const notes = readFileSync(file, "utf8").trim().split("\n")
say("say", `${notes.length} noted: ${notes.join("; ")}`)
say("done", "noted")
