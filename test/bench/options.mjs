/** What the command line of the bench says. */
import { parseArgs } from "node:util"

export const help = `npm run bench -- [options]

  --quick        fewer samples, no store of a million runs
  --check        ends with 1 where a figure is beyond its limit in test/bench/budget.json
  --no-peers     leaves out the other stores, which are installed from npm on their first use
  --only A,B     only these parts
  --write        writes docs/performance.md, .json and .svg from this run
  --out FILE     the result as JSON (else .cache/bench/result.json)
  --help
`

export const readOptions = (argv) => {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      "no-peers": { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      write: { type: "boolean", default: false },
      out: { type: "string" },
      help: { type: "boolean", default: false }
    }
  })
  return {
    quick: values.quick,
    check: values.check,
    peers: !values["no-peers"],
    only: values.only.flatMap((names) => names.split(",")),
    write: values.write,
    out: values.out ?? null,
    help: values.help
  }
}
