/** Begins a new run from what a caller asks for: checks everything that can be checked before anything is created. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CheckpointId, SessionId } from "../checkpoint/ids.js"
import type { Origin, Permission } from "../checkpoint/state.js"
import { Workspaces } from "../host/Workspaces.js"
import { type Provider, ProviderNotFound, Providers } from "../provider/Provider.js"
import { type RunSpec, root } from "../session/RunSpec.js"
import type * as Scope from "../session/Scope.js"
import { bounded } from "../text/bounded.js"
import { chooseSession, newConversation } from "./chooseSession.js"
import { Runs } from "./Runs.js"
import type { WatchLimits } from "./watchdog.js"

/** This program has no provider of that name. */
export class ProviderUnknown extends Data.TaggedError("ProviderUnknown")<{
  readonly provider: string
  readonly known: ReadonlyArray<string>
}> {
  override get message(): string {
    return `there is no provider "${this.provider}"; this program has ${this.known.join(", ")}`
  }
}

/** The provider cannot be told to work this way. Nothing was created. */
export class SettingUnsupported extends Data.TaggedError("SettingUnsupported")<{
  readonly provider: string
  readonly setting: "thinking" | "permission" | "settings"
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

export interface RunRequest {
  readonly agent: string
  readonly sessionId: SessionId | null
  readonly key: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly title: string | null
  readonly origin: Origin
  readonly prompt: string
  readonly provider: string
  readonly providerArgs: ReadonlyArray<string>
  readonly model: string | null
  readonly thinking: string | null
  readonly permission: Permission
  readonly addDirs: ReadonlyArray<string>
  readonly cwd: string
  readonly limits: WatchLimits
  /** The id to use, where the caller has promised one. */
  readonly id: CheckpointId | null
}

/** The provider with this name, checked to be installed and able to work with these settings. */
export const usableProvider = (
  id: string,
  settings: { readonly permission: Permission; readonly thinking: string | null }
): Effect.Effect<Provider, ProviderUnknown | ProviderNotFound | SettingUnsupported, Providers> =>
  Effect.gen(function* () {
    const providers = yield* Providers
    const found = providers.find(id)
    if (Option.isNone(found)) {
      return yield* new ProviderUnknown({ provider: id, known: providers.all.map((provider) => provider.id) })
    }
    const provider = found.value
    const unsupported = unsupportedSetting(provider, settings)
    if (unsupported !== null) return yield* unsupported
    const availability = yield* provider.detect
    if (availability._tag === "Missing") {
      return yield* new ProviderNotFound({ provider: id, command: availability.command, install: provider.install })
    }
    return provider
  })

/** Why a provider cannot be told to work this way, if it cannot. */
export const unsupportedSetting = (
  provider: Provider,
  settings: { readonly permission: Permission; readonly thinking: string | null }
): SettingUnsupported | null => {
  const undeclared = undeclaredSetting(provider, settings)
  if (undeclared !== null) return undeclared
  const objection = provider.objection?.(settings) ?? null
  return objection === null
    ? null
    : new SettingUnsupported({ provider: provider.id, setting: "settings", detail: objection })
}

/** A setting that the provider does not declare, wherever and whenever it is run; `null`: as the provider has it. */
export const undeclaredSetting = (
  provider: Provider,
  settings: { readonly permission: Permission | null; readonly thinking: string | null }
): SettingUnsupported | null => {
  const { thinkingLevels, permissions } = provider.capabilities
  const { thinking, permission } = settings
  if (thinking !== null && !thinkingLevels.includes(thinking)) {
    return new SettingUnsupported({
      provider: provider.id,
      setting: "thinking",
      detail:
        thinkingLevels.length === 0
          ? `${provider.id} has no thinking levels; leave --thinking out`
          : `${provider.id} has no thinking level "${thinking}"; it has ${thinkingLevels.join(", ")}`
    })
  }
  if (permission !== null && permissions[permission] === null) {
    const able = Object.entries(permissions).flatMap(([name, word]) => (word === null ? [] : [name]))
    return new SettingUnsupported({
      provider: provider.id,
      setting: "permission",
      detail: `${provider.id} has no permission "${permission}"; it has ${able.join(", ")}`
    })
  }
  return null
}

/** Linux takes no single argument of 128 KiB; a little of it is the option's own name. */
const longestArgumentBytes = 131_000

/** Why a prompt cannot reach a provider's program, if it cannot. */
const promptTooLong = ({ capabilities, id }: Provider, prompt: string): SettingUnsupported | null => {
  if (capabilities.promptChannel !== "argument") return null
  return !bounded(prompt, longestArgumentBytes).truncated
    ? null
    : new SettingUnsupported({
        provider: id,
        setting: "settings",
        detail: `the prompt is too long: ${id} takes it as one argument, of at most ${longestArgumentBytes} bytes; put it into a file, and name that file in the prompt`
      })
}

/** Begins the run in the caller's scope. When it returns, the checkpoint is committed. */
export const beginRun = (scope: Scope.Scope, request: RunRequest) =>
  Effect.gen(function* () {
    const workspaces = yield* Workspaces
    const runs = yield* Runs
    const provider = yield* usableProvider(request.provider, request)
    const tooLong = promptTooLong(provider, request.prompt)
    if (tooLong !== null) return yield* tooLong
    const workspace = yield* workspaces.resolve(request.cwd)
    const spec: RunSpec = {
      agent: request.agent,
      sessionId: request.sessionId,
      taskId: null,
      key: request.key,
      labels: request.labels,
      title: request.title,
      origin: request.origin,
      prompt: request.prompt,
      instruction: null,
      provider: provider.id,
      providerArgs: request.providerArgs,
      permission: request.permission,
      addDirs: request.addDirs,
      workspace,
      phases: [
        {
          name: "run",
          provider: provider.id,
          model: request.model,
          thinking: request.thinking,
          providerSession: null,
          cumulativeUsage: null
        }
      ],
      phase: 0,
      loop: null,
      knownDamage: 0,
      lineage: root
    }
    return yield* runs.start(
      scope,
      provider,
      spec,
      {
        prompt: request.prompt,
        ...newConversation
      },
      {
        limits: request.limits,
        start: {
          chooseSession: chooseSession(provider, spec),
          ...(request.id === null ? {} : { id: request.id })
        },
        opening: []
      }
    )
  })
