/** What is wrong inside the store, and what nothing in it needs any more. */
import { type DamagedRecord, mostDamaged, StoreCare, StoreInfo } from "@alluka/store"
import * as Effect from "effect/Effect"
import type { Setting, Step } from "../app.js"
import { type Check, check } from "./check.js"

export const careChecks = (setting: Setting, asked: boolean): Step<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const fix = asked && !(yield* StoreInfo).readOnly
    return [...(yield* integrity(setting, fix)), ...(yield* damaged(setting, fix)), ...(yield* leftovers(setting, fix))]
  })

const again = ({ output }: Setting): string => output.command(["doctor", "--fix"])

const integrity = (setting: Setting, fix: boolean): Step<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const care = yield* StoreCare
    const { path } = yield* StoreInfo
    const found = yield* care.faults
    const toRepair = found.repairable.length > 0
    if (toRepair && fix && found.broken.length === 0) yield* care.repair
    const left = toRepair && fix ? yield* care.faults : found
    if (left.broken.length > 0) {
      return [
        check("integrity", "problem", "the store's file is damaged; what can be read is still shown", {
          detail: left.broken.join("; "),
          try: [
            setting.output.command(["backup", "FILE"]),
            `end every run, keep a copy of the data folder, then: sqlite3 ${path} .recover`
          ]
        })
      ]
    }
    if (left.repairable.length > 0) {
      return [
        check("integrity", "problem", "indexes or counts of the store do not fit its rows", {
          detail: left.repairable.join("; "),
          try: [again(setting)]
        })
      ]
    }
    return [
      toRepair
        ? check("integrity", "fixed", "indexes and counts of the store were built anew", {
            detail: found.repairable.join("; ")
          })
        : check("integrity", "ok", "the store's file is sound")
    ]
  })

/** Records that are named one by one. */
const named = 10

/** `2 runs, 1 task and 1000 or more events`. */
const counted = (records: ReadonlyArray<DamagedRecord>): string => {
  const parts = (["run", "task", "event"] as const).flatMap((kind) => {
    const count = records.filter((record) => record.kind === kind).length
    const many = count === mostDamaged ? `${count} or more` : `${count}`
    return count === 0 ? [] : [`${many} ${kind}${count === 1 ? "" : "s"}`]
  })
  return `${[parts.slice(0, -1).join(", "), ...parts.slice(-1)].filter((part) => part !== "").join(" and ")} ${
    records.length === 1 ? "is" : "are"
  } damaged`
}

const listed = <A>(all: ReadonlyArray<A>, words: (each: A) => string): string =>
  [...all.slice(0, named).map(words), ...(all.length > named ? [`and ${all.length - named} more`] : [])].join("; ")

const damaged = (setting: Setting, fix: boolean): Step<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const care = yield* StoreCare
    const found = yield* care.damaged
    if (found.length === 0) return []
    if (!fix) {
      return [
        check(
          "damaged_records",
          "problem",
          `${counted(found)} and left out wherever it would be shown; what is sound is not affected`,
          {
            detail: listed(found, ({ about, id, kind }) => `${kind} ${id} (${about})`),
            try: [`${again(setting)} writes what is stored of each into a file, and takes out what nothing depends on`]
          }
        )
      ]
    }
    const aside = yield* Effect.forEach(found, care.setAside)
    const files = aside.flatMap(({ file }) => (file === null ? [] : [file]))
    const kept = aside.filter(({ removed }) => !removed).length
    return [
      check(
        "damaged_records",
        "fixed",
        `${counted(found)}; everything that was stored of each is in a file of its own`,
        {
          detail: [
            listed(files, (file) => file),
            ...(kept === 0
              ? []
              : [`${kept} stay in the store: without them other records would mean something else than they do`])
          ].join("; ")
        }
      )
    ]
  })

const leftovers = (setting: Setting, fix: boolean): Step<ReadonlyArray<Check>> =>
  Effect.gen(function* () {
    const care = yield* StoreCare
    const found = yield* fix ? care.tidy : care.leftovers
    const parts = [
      [found.locks, "lock files of dead processes"],
      [found.owners, "processes without a run"],
      [found.loops, "ended task loops"],
      [found.outputs.length, "outputs of deleted runs"],
      [found.crashLogs, "old traces of bugs"]
    ] as const
    const said = parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(", ")
    return [
      ...(said === ""
        ? []
        : [
            fix
              ? check("leftovers", "fixed", `removed: ${said}`)
              : check("leftovers", "ok", `nothing needs any more: ${said}`, { try: [again(setting)] })
          ]),
      ...(found.keptOutputs === 0
        ? []
        : [
            check(
              "outputs_kept",
              "ok",
              `${found.keptOutputs} outputs belong to no run here, and may belong to the damaged store that was moved aside`
            )
          ])
    ]
  })
