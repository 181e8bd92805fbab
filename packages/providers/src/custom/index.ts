/** The providers of a configuration. */
import type { Provider } from "@alluka/core"
import { configuredAgent } from "../acp/config.js"
import { makeAcpProvider } from "../acp/provider.js"
import { type ApiMachine, makeApiProvider } from "../api/provider.js"
import type { Machine } from "../processProvider.js"
import type { ProviderConfig, ProviderConfigs } from "./config.js"
import { makeCommandProvider } from "./provider.js"

/** How this machine runs them: the processes, and the conversations that are ours. */
export type Host = Omit<Machine, "command"> & ApiMachine

/** Makes every provider of a configuration, in its order. */
export const makeConfigured = (configs: ProviderConfigs, host: Host): ReadonlyArray<Provider.Provider> =>
  Object.entries(configs).map(([id, config]) => makeOne(id, config, host))

const makeOne = (id: string, config: ProviderConfig, host: Host): Provider.Provider => {
  switch (config.type) {
    case "acp":
      return makeAcpProvider(configuredAgent(id, config), host)
    case "api":
      return makeApiProvider(id, config, host)
    case "command":
      return makeCommandProvider(id, config, host)
  }
}
