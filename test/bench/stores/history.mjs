/** Runs as a year of work leaves them: most completed, some not, of several agents, programs and folders. Pure. */
const subjects = [
  "login form",
  "payment export",
  "search index",
  "release notes",
  "retry queue",
  "date parser",
  "tab bar",
  "cache key"
]
const verbs = ["Fix", "Extend", "Explain", "Rewrite", "Measure", "Document", "Remove", "Test"]
const providers = ["claude", "codex", "opencode", "gemini"]
const agents = ["default", "reviewer", "nightly"]

const states = [
  ["completed", null],
  ["interrupted", { code: "owner_lost", message: "the process of this run is gone" }],
  ["failed", { code: "provider_error", message: "the provider ended with an error" }],
  ["cancelled", { code: "cancelled_by_user", message: "cancelled by the user" }]
]

/** Most runs complete. */
const stateOf = (number) => states[number % 10 < 7 ? 0 : (number % 10) - 6]

const pick = (list, number) => list[number % list.length]

/** What run number `number` is: see `fillStore`. */
export const history = (number) => {
  const [state, reason] = stateOf(number)
  const title = `${pick(verbs, number)} the ${pick(subjects, Math.floor(number / 8))} ${number}`
  return {
    title,
    prompt: `${title}. ${"Keep the change small, run the tests, and say what you did and why. ".repeat(1 + (number % 4))}`,
    state,
    reason,
    agent: pick(agents, Math.floor(number / 3)),
    provider: pick(providers, Math.floor(number / 5)),
    folder: `/home/dev/project-${number % 50}`
  }
}
