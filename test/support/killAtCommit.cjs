/**
 * Preloaded into a program under test (`NODE_OPTIONS=--require ...`): kills it at one of the commits of its store, where no
 * signal from outside can be aimed at.
 *
 *   ALLUKA_TEST_COMMIT   the commit, counted from 1 (0: none); of this process alone
 *   ALLUKA_TEST_WHEN     `before`: all its statements have run, and it is not committed; `after`: it is
 *   ALLUKA_TEST_COMMITS  a file that gets the number of commits when the process ends by itself
 */
const { writeFileSync } = require("node:fs")

const at = Number(process.env.ALLUKA_TEST_COMMIT ?? 0)
const when = process.env.ALLUKA_TEST_WHEN ?? "after"
const report = process.env.ALLUKA_TEST_COMMITS
let commits = 0

const die = () => process.kill(process.pid, "SIGKILL")

/** The statement, counted when it is run by whichever of its methods. */
const counted = (statement) => {
  for (const method of ["run", "all", "get"]) {
    const real = statement[method].bind(statement)
    statement[method] = (...params) => {
      commits += 1
      const due = commits === at
      if (due && when === "before") die()
      const answer = real(...params)
      if (due) die()
      return answer
    }
  }
  return statement
}

const { dlopen } = process
process.dlopen = (module, file, ...rest) => {
  dlopen(module, file, ...rest)
  if (!file.endsWith("better_sqlite3.node")) return
  const { prototype } = module.exports.Database
  const { prepare } = prototype
  prototype.prepare = function (source, ...more) {
    const statement = prepare.call(this, source, ...more)
    return source === "COMMIT" ? counted(statement) : statement
  }
}

if (report !== undefined) {
  process.on("exit", () => {
    if (commits > 0) writeFileSync(report, String(commits))
  })
}
