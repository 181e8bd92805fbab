/**
 * The signal behind an exit code. Programs that catch a signal, and shells that report one of a child, exit with 128 plus
 * its number: claude 2.1.332 ends with 143 on TERM and 129 on HUP.
 */
import type { Checkpoint } from "@alluka/core"

const byNumber: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  6: "SIGABRT",
  9: "SIGKILL",
  11: "SIGSEGV",
  15: "SIGTERM"
}

/** The exit with the signal filled in where the code tells it; the code itself is kept. */
export const withSignal = (exit: Checkpoint.ProviderExit): Checkpoint.ProviderExit =>
  exit.signal !== null || exit.code === null ? exit : { code: exit.code, signal: byNumber[exit.code - 128] ?? null }
