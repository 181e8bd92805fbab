import { it } from "vitest"
import * as fs from "node:fs"
import { frameOf } from "./layout/frame.js"
import { plainText } from "./layout/Line.js"
import { modelOf, busyEvening, press, apply, idOf, eventOf, decisionOf, checkpointOf, staleDecision, freshDecision, heldDecision } from "./testing/samples.js"
import { entryOf } from "./model/entry.js"
it("shows", () => {
  let out = ""
  const show = (name: string, m: any) => { fs.appendFileSync("/tmp/mon-steps.txt", name + "\n"); out += `== ${name}\n` + frameOf(m).map((l) => plainText(l) + "¦").join("\n") + "\n" }
  const id = idOf("7k3m9x2q")
  const detail = (m: any) => apply(m, { _tag: "DetailRead", id, lineage: [checkpointOf({id: "7k3m9x2q"})], entries: [
    eventOf("7k3m9x2q", 1, "created", "Migrate orders"), eventOf("7k3m9x2q", 2, "provider_session", "conversation ses_9f2c"),
    eventOf("7k3m9x2q", 3, "message", "Now updating the mapper to return OrderV2 objects"), eventOf("7k3m9x2q", 4, "tool_started", "Edit: src/orders.ts"),
    eventOf("7k3m9x2q", 9, "state_changed", "interrupted: the process that owned this run ended", {payload: {to: "interrupted"}})].map(entryOf) },
    { _tag: "PreviewMade", id, decision: decisionOf(id, {warnings: ["src/orders.ts changed"]}) })
  for (const size of [{columns:120,rows:36},{columns:80,rows:24},{columns:60,rows:20},{columns:40,rows:12}]) {
    const m = detail(modelOf(busyEvening(), size))
    show(`${size.columns}`, m)
    const r = press(m, "r")
    show(`resume ${size.columns}`, apply(r, {_tag:"Decided", token: r.questions, decision: decisionOf(id, {warnings: ["src/orders.ts changed"]})}))
    show(`stale ${size.columns}`, apply(r, {_tag:"Decided", token: r.questions, decision: staleDecision(id)}))
    show(`fresh ${size.columns}`, apply(r, {_tag:"Decided", token: r.questions, decision: freshDecision(id)}))
    show(`held ${size.columns}`, apply(r, {_tag:"Decided", token: r.questions, decision: heldDecision(id, "ckpt_x")}))
    show(`help ${size.columns}`, press(m, "?"))
    show(`palette ${size.columns}`, press(m, ":", "r", "e"))
    show(`detail ${size.columns}`, press(m, "enter"))
    show(`log ${size.columns}`, press(m, "l"))
    show(`filter ${size.columns}`, press(m, "/", "s", ":", "f"))
    show(`nomatch ${size.columns}`, press(m, "/", "z", "z", "enter"))
    show(`run ${size.columns}`, apply(press(m, "n"), {_tag:"ProvidersFound", providers: [{id:"claude",title:"Claude Code",installed:true,thinkingLevels:["low","high"],install:""},{id:"demo",title:"Demo",installed:true,thinkingLevels:[],install:""}]}))
    show(`cancel ${size.columns}`, press(m, "3", "j","c"))
    show(`empty ${size.columns}`, modelOf([], size))
  }
  fs.writeFileSync("/tmp/mon-frames.txt", out)
})
