/**
 * The model server as a program: `node dist/support/modelServer/main.js [PORT] [LOG_FILE]`. Prints its address, serves until
 * it is ended. For looking at a real agent by hand; tests start it in their own process.
 */
import { startModelServer } from "./ModelServer.js"

const [port, logFile] = process.argv.slice(2)
const server = await startModelServer({
  ...(port === undefined ? {} : { port: Number(port) }),
  ...(logFile === undefined ? {} : { logFile })
})
process.stdout.write(`${server.url}\n`)
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close().then(() => process.exit(0))
  })
}
