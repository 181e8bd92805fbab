/** What the figures were taken on, without naming anybody's machine. */
import { arch, cpus, loadavg, platform, totalmem } from "node:os"

export const machine = () => ({
  platform: `${platform()} ${arch()}`,
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.versions.node,
  load: Math.round((loadavg()[0] ?? 0) * 10) / 10
})
