/** Every provider that Alluka has, and each kind that a configuration can describe. */
import { acpSubjects } from "./acp.js"
import { configuredSubjects } from "./configured.js"
import { demoSubject } from "./demo.js"
import { lineSubject } from "./lines.js"
import { serverSubject } from "./server.js"
import type { Subject } from "./subject.js"
import { claudeVoice, codexVoice, geminiVoice, kimiVoice, opencodeVoice, piVoices } from "./voices.js"

const voices = [claudeVoice, codexVoice, opencodeVoice, geminiVoice, ...piVoices, kimiVoice]

/** All, and those whose code no other one has. */
export const subjects: ReadonlyArray<Subject> = [
  ...voices.map(lineSubject),
  ...acpSubjects,
  serverSubject,
  ...configuredSubjects,
  demoSubject
]

export const distinct: ReadonlyArray<Subject> = subjects.filter(({ alike }) => alike !== true)
