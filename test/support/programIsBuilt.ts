/** These tests run the program as it is shipped; without it they would all fail for a reason that is not theirs. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const program =
  process.env.ALLUKA_TEST_PROGRAM ?? fileURLToPath(new URL("../../apps/cli/dist/alluka.cjs", import.meta.url))

export default (): void => {
  if (!existsSync(program)) throw new Error(`${program} is not there: build it first (npm run build)`)
}
