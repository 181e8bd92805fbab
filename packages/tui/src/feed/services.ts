/** The services that the monitor reads and acts through. */
import type {
  Checkpoints,
  OutputLog,
  Provider,
  Recovery,
  Redactor,
  Resume,
  RunLauncher,
  TaskRuns,
  Tasks
} from "@alluka/core"

export type MonitorServices =
  | Checkpoints.Checkpoints
  | OutputLog.OutputLog
  | Provider.Providers
  | Recovery.Recovery
  | Redactor.Redactor
  | Resume.Resume
  | RunLauncher.RunLauncher
  | TaskRuns.TaskRuns
  | Tasks.Tasks
