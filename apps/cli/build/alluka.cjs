#!/usr/bin/env node
/**
 * Starts the program with its compiled code at hand: V8 takes the code cache beside each file in place of compiling it,
 * which halves the start. A cache of another V8 is refused by V8 itself, and the file is compiled as usual.
 */
"use strict"
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`alluka: Node 20.19 or newer is needed; this is ${process.versions.node}\n`)
  process.exit(1)
}

const { readFileSync } = require("node:fs")
const { join } = require("node:path")
const v8 = require("node:v8")
const { Script } = require("node:vm")

/** How long a command lasts before it is worth optimising, ms. */
const shortMs = 1500

// Most commands end within a tenth of a second. Until one has lasted longer, the optimising compiler and a young heap that
// grows in small steps only cost time. (The caches are made under the same flags; V8 refuses them under others.)
if (major === 20) v8.setFlagsFromString("--semi-space-growth-factor=16")
v8.setFlagsFromString("--no-opt")
setTimeout(() => v8.setFlagsFromString("--opt"), shortMs).unref()

const loaded = new Map()

/** A script of its own has no `import()`; it is given this file's. */
const importModule = (url) => import(url)

const requireFile = (name) => {
  const before = loaded.get(name)
  if (before !== undefined) return before.module.exports
  const filename = join(__dirname, name)
  // The build has wrapped each file in a function, and left nothing in it but ASCII.
  const source = readFileSync(filename, "latin1")
  let cachedData
  try {
    cachedData = readFileSync(filename.replace(/cjs$/, "cache"))
  } catch {
    // Built without one.
  }
  const script = new Script(source, { filename, cachedData })
  const part = { exports: {} }
  loaded.set(name, { module: part, script })
  const find = (id) => (id.startsWith("./") ? requireFile(id.slice(2)) : require(id))
  script.runInThisContext()(part.exports, find, part, filename, __dirname, importModule)
  return part.exports
}

requireFile("program.cjs")

// The build keeps what was compiled by now for the next start.
module.exports = { loaded }
