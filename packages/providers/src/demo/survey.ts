/**
 * The demo agent's work: a survey of a folder in steps. Each step looks for itself and needs nothing of the ones before
 * it, so a survey can stop after any of them and go on in another process. The findings depend on the folder alone.
 */
import { open, readdir, stat } from "node:fs/promises"
import { extname, join, relative } from "node:path"
import * as Effect from "effect/Effect"

/** Folders that hold what others wrote. */
const skipped = new Set([".git", ".hg", ".svn", "node_modules"])

/** A survey looks at no more than this, so that it ends in a large folder too. */
const maxFiles = 20_000
const maxTextBytes = 256 * 1024
const maxTextFiles = 500

interface FileEntry {
  readonly path: string
  readonly size: number
  readonly modified: number
}

interface Folder {
  readonly files: ReadonlyArray<FileEntry>
  readonly folders: number
  readonly unreadable: number
  readonly cut: boolean
}

/** Everything under a folder in the order of its names; links are not followed. */
const walk = async (root: string): Promise<Folder> => {
  const files: Array<FileEntry> = []
  let folders = 0
  let unreadable = 0
  const pending = [root]
  for (let folder = pending.shift(); folder !== undefined && files.length < maxFiles; folder = pending.shift()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => null)
    if (entries === null) {
      unreadable++
      continue
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !skipped.has(entry.name)) {
        folders++
        pending.push(path)
      } else if (entry.isFile() && files.length < maxFiles) {
        const info = await stat(path).catch(() => null)
        if (info === null) unreadable++
        else files.push({ path: relative(root, path), size: info.size, modified: info.mtimeMs })
      }
    }
  }
  return { files, folders, unreadable, cut: files.length >= maxFiles }
}

const languages: Readonly<Record<string, string>> = {
  ".ts": "TypeScript",
  ".tsx": "TypeScript",
  ".mts": "TypeScript",
  ".js": "JavaScript",
  ".mjs": "JavaScript",
  ".cjs": "JavaScript",
  ".py": "Python",
  ".rs": "Rust",
  ".go": "Go",
  ".java": "Java",
  ".c": "C",
  ".h": "C",
  ".cpp": "C++",
  ".rb": "Ruby",
  ".php": "PHP",
  ".sh": "Shell",
  ".sql": "SQL",
  ".html": "HTML",
  ".css": "CSS",
  ".md": "Markdown",
  ".json": "JSON",
  ".toml": "TOML",
  ".yaml": "YAML",
  ".yml": "YAML"
}

const languageOf = (file: FileEntry): string | null => {
  const extension = extname(file.path).toLowerCase()
  return Object.hasOwn(languages, extension) ? (languages[extension] ?? null) : null
}

const bytes = (size: number): string => {
  if (size < 1024) return `${size} B`
  const units = ["KiB", "MiB", "GiB", "TiB"]
  const power = Math.min(units.length, Math.floor(Math.log2(size) / 10))
  return `${(size / 1024 ** power).toFixed(1)} ${units[power - 1]}`
}

const several = (amount: number, one: string, many: string = `${one}s`): string =>
  `${amount} ${amount === 1 ? one : many}`

/** The beginning of a text file. */
const head = async (path: string): Promise<string> => {
  const file = await open(path, "r")
  try {
    const buffer = Buffer.alloc(maxTextBytes)
    const { bytesRead } = await file.read(buffer, 0, maxTextBytes, 0)
    return buffer.toString("utf8", 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Counts something in the texts of a folder's source files. */
const countInTexts = async (root: string, folder: Folder, count: (text: string) => number): Promise<number> => {
  let total = 0
  for (const file of folder.files.filter((file) => languageOf(file) !== null).slice(0, maxTextFiles)) {
    total += count(await head(join(root, file.path)).catch(() => ""))
  }
  return total
}

const listed = (files: ReadonlyArray<FileEntry>, tell: (file: FileEntry) => string): string =>
  files.length === 0
    ? "none"
    : files
        .slice(0, 3)
        .map((file) => `${file.path} (${tell(file)})`)
        .join(", ")

const byPath = (a: FileEntry, b: FileEntry): number => (a.path < b.path ? -1 : 1)

export interface SurveyStep {
  readonly name: string
  readonly title: string
  readonly find: (root: string, folder: Folder) => string | Promise<string>
}

export const steps: ReadonlyArray<SurveyStep> = [
  {
    name: "count",
    title: "count files and folders",
    find: (_root, { cut, files, folders, unreadable }) =>
      `${several(files.length, "file")}${cut ? " or more" : ""} in ${several(folders, "folder")} below this one` +
      (unreadable === 0 ? "" : `, ${unreadable} unreadable`)
  },
  {
    name: "size",
    title: "add up sizes",
    find: (_root, { files }) => `${bytes(files.reduce((sum, file) => sum + file.size, 0))} in all`
  },
  {
    name: "languages",
    title: "tell the languages",
    find: (_root, { files }) => {
      const counts = new Map<string, number>()
      for (const language of files.map(languageOf)) {
        if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1)
      }
      const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      return sorted.length === 0
        ? "no source files"
        : sorted
            .slice(0, 5)
            .map(([language, amount]) => `${language} ${amount}`)
            .join(", ")
    }
  },
  {
    name: "lines",
    title: "count lines of source",
    find: async (root, folder) =>
      several(
        await countInTexts(root, folder, (text) => text.split("\n").length - (text.endsWith("\n") ? 1 : 0)),
        "line"
      )
  },
  {
    name: "largest",
    title: "find the largest files",
    find: (_root, { files }) =>
      listed(
        [...files].sort((a, b) => b.size - a.size || byPath(a, b)),
        (file) => bytes(file.size)
      )
  },
  {
    name: "newest",
    title: "find the newest files",
    find: (_root, { files }) =>
      listed(
        [...files].sort((a, b) => b.modified - a.modified || byPath(a, b)),
        (file) => new Date(file.modified).toISOString().slice(0, 10)
      )
  },
  {
    name: "marks",
    title: "count what is marked as unfinished",
    find: async (root, folder) =>
      several(await countInTexts(root, folder, (text) => text.match(/\b(?:TODO|FIXME)\b/g)?.length ?? 0), "mark")
  },
  {
    name: "papers",
    title: "look for a readme and a licence",
    find: (_root, { files }) => {
      const top = files.filter((file) => !file.path.includes("/")).map((file) => file.path)
      const papers = top.filter((name) => /^(?:readme|licen[cs]e|contributing|changelog)\b/i.test(name))
      return papers.length === 0 ? "none" : papers.join(", ")
    }
  }
]

/** Does one step. A folder that cannot be read gives an empty survey, which says so. */
export const survey = (root: string, step: SurveyStep): Effect.Effect<string> =>
  Effect.promise(async () => step.find(root, await walk(root)))
