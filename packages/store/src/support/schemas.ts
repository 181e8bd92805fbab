/** Schemas after the present one, for tests of the way there. */
import { migrations } from "../migrations/index.js"
import { latestVersion, type Migration } from "../migrations/Migration.js"

const next: Migration = {
  version: latestVersion(migrations) + 1,
  name: "a column more",
  statements: [
    "ALTER TABLE checkpoint ADD COLUMN colour TEXT",
    "UPDATE checkpoint SET colour = 'blue'",
    "CREATE INDEX checkpoint_by_colour ON checkpoint (colour)"
  ]
}

export const twoSchemas: ReadonlyArray<Migration> = [...migrations, next]
