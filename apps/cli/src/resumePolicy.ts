/** The limits of a resume, from the configuration. */
import { Facts } from "@alluka/core"
import { type Config, numberSetting, permissionSetting } from "./config/merge.js"

export const resumePolicy = (config: Config): Facts.ResumePolicy => ({
  maxAgeMs: numberSetting(config, "resume.max_age", Facts.defaultPolicy.maxAgeMs),
  maxAttempts: numberSetting(config, "resume.max_attempts", Facts.defaultPolicy.maxAttempts),
  maxPermission: permissionSetting(config, "permission.max")
})
