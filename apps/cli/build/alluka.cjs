#!/usr/bin/env node
/**
 * Starts the program with its compiled code at hand: V8 takes the code cache beside it in place of compiling, which halves
 * the start. A cache of another V8 is refused by V8 itself, and the program is compiled as usual.
 */
"use strict"
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`alluka: Node 20.19 or newer is needed; this is ${process.versions.node}\n`)
  process.exit(1)
}

const { readFileSync } = require("node:fs")
const { join } = require("node:path")
const { Script } = require("node:vm")

const filename = join(__dirname, "program.cjs")
const source = `(function (exports, require, module, __filename, __dirname, importModule) {${readFileSync(filename, "latin1")}\n})`
let cachedData
try {
  cachedData = readFileSync(join(__dirname, "program.cache"))
} catch {
  // Built without one.
}
const script = new Script(source, { filename, cachedData })
// A script of its own has no `import()`; it is given this file's.
script.runInThisContext()(exports, require, module, filename, __dirname, (url) => import(url))

// The build keeps what was compiled by now for the next start.
module.exports = { script }
