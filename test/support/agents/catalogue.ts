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
  }
} as const satisfies Readonly<Record<string, AgentSpec>>

export type AgentName = keyof typeof agents
