/** Before the tests: builds this package if its sources are newer than what was built, since tests start built programs. */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../..", import.meta.url))

const newest = (path: string): number =>
  Math.max(
    ...Fs.readdirSync(path, { withFileTypes: true, recursive: true }).map((entry) =>
      entry.isFile() ? Fs.statSync(`${entry.parentPath}/${entry.name}`).mtimeMs : 0
    )
  )

export default (): void => {
  const built = Fs.statSync(`${folder}/dist/.tsbuildinfo`, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (newest(`${folder}/src`) > built) spawnSync("npx", ["tsc", "-b"], { cwd: folder, stdio: "inherit" })
}
