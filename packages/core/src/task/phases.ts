/**
 * In which phases a task is done, with what each is done, and what the agent is told in each. Pure. The strongest source of
 * a setting wins: the flags of this call, the task's settings for the phase, those for the task, the configuration.
 */
import type { GateCommand } from "../checkpoint/GateCommand.js"
import type { Permission } from "../checkpoint/state.js"
import type { PhaseSpec } from "../session/RunSpec.js"
import { bounded } from "../text/bounded.js"
import type { PhaseName, Plan, Settings } from "./Task.js"

export type PhaseCount = 1 | 2 | 3

/** What the command line and the configuration say about how tasks are done. */
export interface Defaults {
  readonly flags: Settings
  /** Of this call; `null`: not given. */
  readonly phases: PhaseCount | null
  /** Of this call; `none`: no gate. */
  readonly gate: GateCommand | "none" | null
  readonly configured: {
    readonly settings: Settings
    readonly phases: PhaseCount
    readonly gate: GateCommand | null
  }
}

const names: Readonly<Record<PhaseCount, ReadonlyArray<PhaseName>>> = {
  1: ["run"],
  2: ["plan", "implement"],
  3: ["plan", "implement", "review"]
}

export const phaseNames = (count: PhaseCount): ReadonlyArray<PhaseName> => names[count]

/** How a task is to be done now. */
export interface Planned {
  readonly phases: ReadonlyArray<PhaseSpec & { readonly permission: Permission }>
  readonly gate: GateCommand | null
}

/** Whether every phase has a provider, once flags and task are looked at. */
export const namesProvider = (plan: Plan, defaults: Defaults): boolean =>
  phaseNames(countOf(plan, defaults)).every((name) => providerOf(name, plan, defaults) !== null)

/** `provider`: who does what nobody names a provider for. */
export const planned = (plan: Plan, defaults: Defaults, provider: string): Planned => ({
  phases: phaseNames(countOf(plan, defaults)).map((name) => phaseOf(name, plan, defaults, provider)),
  gate: gateOf(plan, defaults)
})

const countOf = (plan: Plan, defaults: Defaults): PhaseCount =>
  defaults.phases ?? plan.phases ?? defaults.configured.phases

const gateOf = (plan: Plan, defaults: Defaults): GateCommand | null => {
  const chosen = defaults.gate ?? plan.gate ?? defaults.configured.gate
  return chosen === "none" ? null : chosen
}

/** Strongest first. */
const sources = (name: PhaseName, plan: Plan, { configured, flags }: Defaults): ReadonlyArray<Settings> => [
  flags,
  ...(plan.ofPhases[name] === undefined ? [] : [plan.ofPhases[name]]),
  plan.settings,
  configured.settings
]

const providerOf = (name: PhaseName, plan: Plan, defaults: Defaults): string | null =>
  sources(name, plan, defaults).find(({ provider }) => provider !== null)?.provider ?? null

const phaseOf = (name: PhaseName, plan: Plan, defaults: Defaults, otherwise: string): Planned["phases"][number] => {
  const provider = providerOf(name, plan, defaults) ?? otherwise
  // A model is one of a provider: what was named beside another provider is not for this one.
  const fitting = sources(name, plan, defaults).filter((each) => each.provider === null || each.provider === provider)
  return {
    name,
    provider,
    model: fitting.find(({ model }) => model !== null)?.model ?? null,
    thinking: fitting.find(({ thinking }) => thinking !== null)?.thinking ?? null,
    permission: permissionOf(name, plan, defaults),
    providerSession: null,
    cumulativeUsage: null
  }
}

/** Who plans only reads, unless the task says otherwise for that very phase. */
const permissionOf = (name: PhaseName, plan: Plan, defaults: Defaults): Permission =>
  name === "plan"
    ? (plan.ofPhases.plan?.permission ?? "read")
    : (sources(name, plan, defaults).find(({ permission }) => permission !== null)?.permission ?? "edit")

/**
 * The phases of a resumed run: those up to the interrupted one as they are recorded, those after it as they are planned
 * now. `differences`: what is not as it was recorded, a sentence each.
 */
export const resumedPhases = (
  recorded: ReadonlyArray<PhaseSpec>,
  interrupted: number,
  now: ReadonlyArray<PhaseSpec>
): { readonly later: ReadonlyArray<PhaseSpec>; readonly differences: ReadonlyArray<string> } => {
  const at = now.findIndex(({ name }) => name === recorded[interrupted]?.name)
  const later = at === -1 ? [] : now.slice(at + 1)
  const old = recorded.slice(interrupted + 1)
  const gone = old
    .filter(({ name }) => !later.some((phase) => phase.name === name))
    .map(({ name }) => `The phase ${name} is not planned any more.`)
  const changed = later.flatMap((phase) => {
    const before = old.find(({ name }) => name === phase.name)
    return before === undefined
      ? [`The phase ${phase.name} was not planned when the run began.`]
      : differs(before, phase)
  })
  return { later, differences: [...gone, ...changed] }
}

const differs = (before: PhaseSpec, now: PhaseSpec): ReadonlyArray<string> =>
  (["provider", "model", "thinking", "permission"] as const).flatMap((setting) =>
    (before[setting] ?? null) === (now[setting] ?? null)
      ? []
      : [
          `The phase ${now.name} gets ${setting} ${now[setting] ?? "as the provider has it"}; recorded was ${before[setting] ?? "none"}.`
        ]
  )

/** What a phase hands to the next, in bytes. */
const handoverBytes = 16 * 1024

/** The end of a phase's conversation, as the next phase is told it: bounded. */
export const handoverOf = (answer: string): { readonly text: string; readonly truncated: boolean } =>
  bounded(answer.trim(), handoverBytes)

/** Whether the gate is run after a phase: only who plans changes nothing. */
export const isGated = (phase: string): boolean => phase !== "plan"

/**
 * What the agent is told when a phase begins. `prompt`: the task; `handover`: the last that was said in the phase before,
 * empty in the first.
 */
export const phasePrompt = (phase: string, prompt: string, handover: string): string => {
  switch (phase) {
    case "plan":
      return [
        "This is the planning phase of a task. Study the folder and make a plan: what is to be changed, where, in which order, and how to see that it works. Change nothing yet. End with the whole plan as your answer; it is all that the next phase gets from you.",
        "",
        "The task:",
        prompt
      ].join("\n")
    case "implement":
      return [
        "The task:",
        prompt,
        "",
        ...(handover === ""
          ? ["The planning phase left no plan. Look at the folder, then do the task."]
          : [
              "The plan, made before in another conversation:",
              handover,
              "",
              "Do the task now, by this plan unless it proves wrong."
            ])
      ].join("\n")
    case "review":
      return [
        "The task:",
        prompt,
        "",
        "It was done before in another conversation, which ended with:",
        handover === "" ? "(nothing)" : handover,
        "",
        "Review the work as it stands in the folder: is the task done wholly and correctly, without harm to anything else? Put right what is not."
      ].join("\n")
    default:
      return prompt
  }
}

/** The order to go on after the provider was killed. */
export const killedMessage = (signal: string): string =>
  `Your process was ended by ${signal} before you were finished. Your last action may or may not have taken effect: check the present state, then go on with the task.`
