/** Runs the program with the given arguments, and at its end writes the code that V8 has compiled for each of its files. */
"use strict"
const { existsSync, writeFileSync } = require("node:fs")
const { dirname, join } = require("node:path")
const { setFlagsFromString } = require("node:v8")

const [node, , starter, ...argv] = process.argv
process.argv = [node, starter, ...argv]
const { loaded } = require(starter)
process.on("exit", () => {
  // As they are at a start, however long this took.
  setFlagsFromString("--no-opt")
  for (const [name, { script }] of loaded) {
    const cache = join(dirname(starter), name.replace(/cjs$/, "cache"))
    // The command that came first is the one that is asked most often.
    if (!existsSync(cache)) writeFileSync(cache, script.createCachedData())
  }
})
