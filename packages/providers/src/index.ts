export { runDemoAgent } from "./demo/agent.js"
export type { DemoOptions } from "./demo/index.js"
export * as ProcessProvider from "./processProvider.js"
export * as Registry from "./registry.js"
