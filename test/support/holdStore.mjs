/** Holds the write lock of a database until its stdin ends: `node holdStore.mjs FILE`. Prints one line when it has it. */
import Database from "better-sqlite3"

const database = new Database(process.argv[2])
database.pragma("busy_timeout = 10000")
database.exec("BEGIN EXCLUSIVE")
process.stdout.write("held\n")
process.stdin.resume()
process.stdin.once("end", () => {
  database.exec("ROLLBACK")
  database.close()
})
