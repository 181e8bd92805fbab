/**
 * Failures as a person and a program are told them: what happened, why, what to try, and the exit code. One table for
 * every typed failure that can reach the edge.
 */
import type { Documents } from "@alluka/core"
import type { Failures } from "./app.js"

/** An error without a decision. */
export interface Problem {
  readonly code: string
  readonly message: string
  readonly detail: string | null
  /** Trying the same again later may work. */
  readonly retryable: boolean
  /** What could be tried instead: commands without the program's name where `argv`, else words. */
  readonly hints: ReadonlyArray<Hint>
  readonly exitCode: number
  /** The file that it is about, and where in it as far as that is known. */
  readonly place: Documents.ErrorPlace | null
}

export type Hint = string | { readonly argv: ReadonlyArray<string>; readonly why: string }

export const problem = (
  exitCode: number,
  code: string,
  message: string,
  more: Partial<Pick<Problem, "detail" | "retryable" | "hints" | "place">> = {}
): Problem => ({ exitCode, code, message, detail: null, retryable: false, hints: [], place: null, ...more })

/** A command line that cannot be followed. Nothing was done. */
export const usage = (message: string, hints: ReadonlyArray<Hint> = []): Problem =>
  problem(2, "usage", message, { hints })

/** A command line that cannot be followed, with how the command is called, where nothing better is known. */
export const withHelp = (what: Problem, path: ReadonlyArray<string>): Problem =>
  what.exitCode !== 2 || what.hints.length > 0 || path.length === 0
    ? what
    : { ...what, hints: [{ argv: ["help", ...path], why: "shows how it is called" }] }

/** What a typed failure is called outside. */
export const problemOf = (failure: Failures): Problem => {
  const { message } = failure
  switch (failure._tag) {
    case "Refusal":
      return failure.problem
    case "StoreLocked":
      return problem(6, "store_locked", message, {
        retryable: true,
        hints: ["try again; if it stays locked, find the process that holds the file (fuser, lsof)"]
      })
    case "StoreUnavailable":
      return problem(1, failure.code === "io" ? "store_unavailable" : `store_${failure.code}`, message, {
        hints: ["name another data folder with --home or ALLUKA_HOME"]
      })
    case "StoreNewer":
      return problem(1, "store_newer", message, { hints: ["update alluka on this machine"] })
    case "RecordCorrupt":
      return problem(1, "record_corrupt", message, {
        hints: [{ argv: ["runs", "list"], why: "the other runs are not affected" }]
      })
    case "CheckpointNotFound":
      return problem(3, "checkpoint_not_found", message, {
        hints: [{ argv: ["runs", "list", "--all"], why: "lists every run" }]
      })
    case "AmbiguousId":
      return problem(2, "ambiguous_id", message, { hints: ["type more of the id"] })
    case "Conflict":
      return problem(6, conflictCode[failure.on], message, {
        retryable: true,
        hints:
          failure.holder === null
            ? []
            : [{ argv: ["runs", "show", failure.holder], why: "shows the run that is in the way" }]
      })
    case "InvalidCursor":
      return usage(message, [{ argv: ["runs", "list"], why: "begins at the first page" }])
    case "ClaimLost":
      return problem(6, "already_running", message, {
        retryable: true,
        hints: [{ argv: ["runs", "show", failure.source], why: "shows how it stands" }]
      })
    case "Fenced":
      return problem(6, "fenced", message, {
        hints: [{ argv: ["runs", "show", failure.id], why: "shows how it stands" }]
      })
    case "OwnerLockFailed":
      return problem(1, lockCode(failure.cause), message, {
        hints: ["look at the data folder's permissions and free space"]
      })
    case "ProviderUnknown":
      return problem(4, "provider_unknown", message, { hints: [{ argv: ["providers", "list"], why: "lists them" }] })
    case "ProviderNotFound":
      return problem(4, "provider_not_found", message, {
        hints: [
          { argv: ["config", "set", `providers.${failure.provider}.command`, "PATH"], why: "names the program's place" }
        ]
      })
    case "SettingUnsupported":
      return problem(2, `unsupported_${failure.setting}`, message, {
        hints: [{ argv: ["providers", "list"], why: "shows what each provider can be told" }]
      })
    case "WorkspaceUnusable":
      return problem(5, failure.code, message, { hints: ["name the folder with --cd"] })
    case "TaskNotFound":
      return problem(3, "task_not_found", message, { hints: [{ argv: ["task", "list"], why: "lists them" }] })
    case "TaskBusy":
      return problem(6, "task_busy", message, {
        retryable: true,
        hints: [{ argv: ["cancel", failure.run], why: "ends that run" }]
      })
    case "TaskSettled":
      return problem(5, "task_settled", message, {
        hints: [{ argv: ["task", "edit", failure.id, "--status", "todo"], why: "puts it back on the list" }]
      })
    case "TaskInvalid":
      return problem(2, `task_${failure.what}`, message)
    case "TaskCannotBegin": {
      const cause = problemOf(failure.cause)
      const changes = { argv: ["help", "task", "edit"], why: "changes how it is done" }
      return { ...cause, message, hints: [...cause.hints, changes] }
    }
    case "PlanEmpty":
      return problem(1, "task_plan_empty", message, {
        hints: [{ argv: ["task", "show", failure.task], why: "shows how it is to be done" }]
      })
    case "LaunchFailed":
      return problem(1, failure.code, message, { hints: [{ argv: ["doctor"], why: "looks for the cause" }] })
  }
}

/** A lock that cannot be made is a store that cannot be written, where the system says so. */
const lockCode = (cause: unknown): string => {
  const code = (cause as NodeJS.ErrnoException | null)?.code
  if (code === "EROFS" || code === "EACCES" || code === "EPERM") return "store_read_only"
  return code === "ENOSPC" || code === "EDQUOT" ? "store_disk_full" : "owner_lock_failed"
}

const conflictCode = {
  lineage: "already_running",
  session: "session_busy",
  provider_session: "session_busy",
  key: "key_in_use",
  task: "task_busy",
  id: "id_in_use"
} as const
