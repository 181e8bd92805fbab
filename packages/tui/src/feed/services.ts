/** The services that the monitor reads and acts through. */
import type {
  CheckpointStore,
  Checkpoints,
  OutputLog,
  Provider,
  Recovery,
  Redactor,
  Resume,
  RunLauncher,
  TaskRuns,
  Tasks,
  Workspaces
} from "@alluka/core"

export type MonitorServices =
  | Checkpoints.Checkpoints
  | CheckpointStore.CheckpointStore
  | OutputLog.OutputLog
  | Provider.Providers
  | Recovery.Recovery
  | Redactor.Redactor
  | Resume.Resume
  | RunLauncher.RunLauncher
  | TaskRuns.TaskRuns
  | Tasks.Tasks
  | Workspaces.Workspaces
