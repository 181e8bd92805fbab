import { Ids, type OwnerIdentity } from "@alluka/core"
import { describe, expect, it } from "vitest"
import { judge, type LockSeen, type ProcessSeen } from "./judge.js"

const here = { host: "attic", bootId: "boot-2", pidNamespace: "pid:[1]" }

const owner: OwnerIdentity.OwnerRecord = {
  id: Ids.OwnerId.make("own_000000000000"),
  host: "attic",
  pid: 42,
  pidStart: "1000",
  bootId: "boot-2",
  pidNamespace: "pid:[1]"
}

const gone: ProcessSeen = { kind: "gone" }
const same: ProcessSeen = { kind: "there", pidStart: "1000" }
const another: ProcessSeen = { kind: "there", pidStart: "2000" }
const hidden: ProcessSeen = { kind: "hidden" }
const nameless: ProcessSeen = { kind: "there", pidStart: null }

const cases: ReadonlyArray<
  readonly [
    string,
    Partial<OwnerIdentity.OwnerRecord>,
    LockSeen,
    ProcessSeen,
    "alive" | "owner_lost" | "host_restarted" | "unknown"
  ]
> = [
  ["holds its lock", {}, "held", gone, "alive"],
  ["holds its lock in another container", { pidNamespace: "pid:[9]" }, "held", gone, "alive"],
  ["holds its lock under another name of the machine", { host: "cellar" }, "held", gone, "alive"],
  ["let go of its lock", {}, "free", same, "owner_lost"],
  ["let go of its lock before a restart", { bootId: "boot-1" }, "free", same, "host_restarted"],
  ["let go of its lock on another machine", { host: "cellar", bootId: "boot-1" }, "free", same, "owner_lost"],
  ["let go of its lock, boot unknown", { bootId: null }, "free", same, "owner_lost"],
  ["has a lock file that cannot be read", {}, "unreadable", gone, "unknown"],
  ["has no lock file, and another boot", { bootId: "boot-1" }, "absent", same, "host_restarted"],
  ["has no lock file, boot unknown", { bootId: null }, "absent", gone, "unknown"],
  ["has no lock file, another machine", { host: "cellar" }, "absent", gone, "unknown"],
  ["has no lock file, another machine and boot", { host: "cellar", bootId: "boot-1" }, "absent", gone, "unknown"],
  ["has no lock file, another container", { pidNamespace: "pid:[9]" }, "absent", gone, "unknown"],
  ["has no lock file, container unknown", { pidNamespace: null }, "absent", gone, "unknown"],
  ["has no lock file and no process", {}, "absent", gone, "owner_lost"],
  ["has no lock file, its number is another's", {}, "absent", another, "owner_lost"],
  ["has no lock file, its process is there", {}, "absent", same, "unknown"],
  ["has no lock file, its process is hidden", {}, "absent", hidden, "unknown"],
  ["has no lock file, start not recorded", { pidStart: null }, "absent", same, "unknown"],
  ["has no lock file, start not readable", {}, "absent", nameless, "unknown"]
]

describe("an owner that", () => {
  it.each(cases)("%s", (_, changes, lock, process, expected) => {
    const verdict = judge({ ...owner, ...changes }, { lock, here, process: () => process })
    expect(verdict._tag === "Dead" ? verdict.cause : verdict._tag.toLowerCase()).toBe(expected)
    if (verdict._tag === "Unknown") expect(verdict.why).not.toBe("")
  })

  it("runs where there are no process namespaces is told by its process", () => {
    const mac = { ...here, pidNamespace: null }
    const verdict = judge({ ...owner, pidNamespace: null }, { lock: "absent", here: mac, process: () => gone })
    expect(verdict).toMatchObject({ _tag: "Dead", cause: "owner_lost" })
  })
})
