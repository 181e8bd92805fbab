/** The real agents the tests run, each pinned: facts about them hold for one version only. */

export interface AgentSpec {
  /** Name in the tests and of its folder. */
  readonly name: string
  /** The program's file name in `node_modules/.bin`. */
  readonly program: string
  /** npm packages with exact versions. */
  readonly packages: Readonly<Record<string, string>>
  /** A script of a package to run after the installation, because npm may have been told to run none. */
  readonly after: string | null
  /** It needs a newer Node than the one that Alluka is held to. */
  readonly newerNode?: true
  /** What `PROGRAM --version` prints, somewhere. */
  readonly version: string
}

export const agents = {
  claude: {
    name: "claude",
    program: "claude",
    packages: { "@anthropic-ai/claude-code": "2.1.332" },
    after: "@anthropic-ai/claude-code/install.cjs",
    version: "2.1.332"
  },
  codex: {
    name: "codex",
    program: "codex",
    packages: { "@openai/codex": "0.171.0" },
    after: null,
    version: "0.171.0"
  },
  opencode: {
    name: "opencode",
    program: "opencode",
    packages: { "opencode-ai": "1.18.33" },
    after: "opencode-ai/postinstall.mjs",
    version: "1.18.33"
  },
  gemini: {
    name: "gemini",
    program: "gemini",
    packages: { "@google/gemini-cli": "0.61.0" },
    after: null,
    version: "0.61.0"
  },
  "pi-0.73": {
    name: "pi-0.73",
    program: "pi",
    packages: { "@mariozechner/pi-coding-agent": "0.73.1" },
    after: null,
    version: "0.73.1"
  },
  pi: {
    name: "pi",
    program: "pi",
    packages: { "@earendil-works/pi-coding-agent": "1.6.0" },
    after: null,
    newerNode: true,
    version: "1.6.0"
  },
  kimi: {
    name: "kimi",
    program: "kimi",
    packages: { "@moonshot-ai/kimi-code": "2.1.0" },
    after: null,
    newerNode: true,
    version: "2.1.0"
  },
  "codex-acp": {
    name: "codex-acp",
    program: "codex-acp",
    packages: { "@agentclientprotocol/codex-acp": "2.6.0" },
    after: null,
    version: "2.6.0"
  },
  "claude-acp": {
    name: "claude-acp",
    program: "claude-agent-acp",
    packages: { "@agentclientprotocol/claude-agent-acp": "0.101.0" },
    after: null,
    newerNode: true,
    version: "0.101.0"
  },
  qwen: {
    name: "qwen",
    program: "qwen",
    packages: { "@qwen-code/qwen-code": "0.24.4" },
    after: null,
    newerNode: true,
    version: "0.24.4"
  },
  copilot: {
    name: "copilot",
    program: "copilot",
    packages: { "@github/copilot": "1.0.102" },
    after: null,
    newerNode: true,
    version: "1.0.102"
  }
} as const satisfies Readonly<Record<string, AgentSpec>>

export type AgentName = keyof typeof agents

/** The Node for those that need a newer one: its program alone, from npm. */
export const newerNode: AgentSpec = {
  name: "node",
  program: "node",
  packages: { [`node-${process.platform}-${process.arch}`]: "24.9.0" },
  after: null,
  version: "24.9.0"
}

/** Those that are held to on every change: the others are asked for with ALLUKA_TEST_AGENTS (`all`, or names with commas). */
const always: ReadonlyArray<AgentName> = ["claude", "codex"]

/** The agents to test with. A name that is none is a mistake, and not a test that is left out. */
export const chosenAgents = (wanted: string | undefined): ReadonlyArray<AgentName> => {
  if (wanted === undefined || wanted === "") return always
  if (wanted === "all") return Object.keys(agents) as ReadonlyArray<AgentName>
  return wanted.split(",").map((name) => {
    if (!Object.hasOwn(agents, name)) {
      throw new Error(`ALLUKA_TEST_AGENTS: there is no agent "${name}"; there are ${Object.keys(agents).join(", ")}`)
    }
    return name as AgentName
  })
}
