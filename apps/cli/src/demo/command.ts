/** How the demo agent's own process is started: this program again, under a name that no help shows. */
export const demoAgentName = "__demo-agent"

export const demoAgentCommand = (
  script: string
): { readonly command: string; readonly args: ReadonlyArray<string> } => ({
  command: process.execPath,
  args: [script, demoAgentName]
})
