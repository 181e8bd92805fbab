/** Runs the program with the given arguments, and at its end writes the code that V8 has compiled for it. */
"use strict"
const { writeFileSync } = require("node:fs")

const [node, , starter, cache, ...argv] = process.argv
process.argv = [node, starter, ...argv]
const { script } = require(starter)
process.on("exit", () => writeFileSync(cache, script.createCachedData()))
