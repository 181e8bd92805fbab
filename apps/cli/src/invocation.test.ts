import { execFileSync } from "node:child_process"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { programName, shellLine } from "./invocation.js"

it.each([
  ["/usr/local/bin/alluka", "/home/a", "alluka"],
  ["/home/a/x/apps/cli/dist/alluka.cjs", "/home/a/x", "node apps/cli/dist/alluka.cjs"],
  ["/home/a/x/apps/cli/dist/alluka.cjs", "/var/log/something/deep", "node /home/a/x/apps/cli/dist/alluka.cjs"],
  ["/home/a b/alluka.cjs", "/home", "node 'a b/alluka.cjs'"]
])("%s from %s is called %s", (script, cwd, name) => expect(programName(script, cwd)).toBe(name))

it("quotes so that a shell gives back the same words", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ minLength: 1 }).filter((text) => !text.includes("\0")),
        { minLength: 1, maxLength: 4 }
      ),
      (words) => {
        const said = execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${shellLine(words)}`], { encoding: "utf8" })
        expect(said.split("\0").slice(0, -1)).toEqual(words)
      }
    ),
    { numRuns: 30 }
  )
})
