/** Where a program is: the look-up that a shell does, without a shell. */
import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { delimiter, isAbsolute, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/**
 * The files that a command may stand for, in order. A command with a slash is a path; a bare name is looked for in the
 * absolute folders of `searchPath` (the value of PATH). Empty and relative entries are left out: they would run whatever
 * lies in the folder that an agent has been working in.
 */
export const candidates = (command: string, searchPath: string, cwd: string): ReadonlyArray<string> => {
  if (command === "" || command.includes("\0")) return []
  if (command.includes("/")) return [resolve(cwd, command)]
  return searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, command))
}

const isProgram = (path: string): Effect.Effect<boolean> =>
  Effect.tryPromise(async () => {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  }).pipe(Effect.orElseSucceed(() => false))

/** The first candidate that is an executable file. */
export const findProgram = (
  command: string,
  searchPath: string,
  cwd: string = process.cwd()
): Effect.Effect<Option.Option<string>> =>
  Effect.gen(function* () {
    for (const path of candidates(command, searchPath, cwd)) {
      if (yield* isProgram(path)) return Option.some(path)
    }
    return Option.none()
  })
