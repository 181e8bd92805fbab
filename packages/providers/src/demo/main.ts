#!/usr/bin/env node
/** The demo agent as a program of its own: `node dist/demo/main.js`. */
import { runDemoAgent } from "./agent.js"

process.exitCode = await runDemoAgent(process.argv.slice(2))
