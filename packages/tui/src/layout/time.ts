/** Times as the monitor shows them, in the machine's zone. */
import { age, changesAt } from "../list/index.js"

const two = (value: number): string => String(value).padStart(2, "0")

/** `22:48:03` */
export const clockSeconds = (time: number): string => {
  const date = new Date(time)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** `22:48` */
export const clockMinutes = (time: number): string => clockSeconds(time).slice(0, 5)

const nextDay = (today: Date): number => new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1).getTime()

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** `22:48` today, `Nov 30` this year, `2025-11` before that: at most seven cells. */
export const shortDate = (time: number, now: number): string => {
  const [then, today] = [new Date(time), new Date(now)]
  changesAt(nextDay(today))
  if (then.toDateString() === today.toDateString()) return clockMinutes(time)
  if (then.getFullYear() === today.getFullYear()) return `${months[then.getMonth()] ?? ""} ${then.getDate()}`
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}`
}

/** `22:31:07` today, `Nov 30 22:31:07` else. */
export const longTime = (time: number, now: number): string => {
  const [then, today] = [new Date(time), new Date(now)]
  changesAt(nextDay(today))
  return then.toDateString() === today.toDateString()
    ? clockSeconds(time)
    : `${months[then.getMonth()] ?? ""} ${then.getDate()} ${clockSeconds(time)}`
}

export type TimeMode = "relative" | "absolute"

/** What the age column shows. */
export const whenText = (time: number, now: number, mode: TimeMode): string =>
  mode === "relative" ? age(time, now) : shortDate(time, now)

/** How long something has been going on. */
export const sinceText = (since: number, now: number): string => {
  const ms = Math.max(0, now - since)
  changesAt(since + (Math.floor(ms / 1000) + 1) * 1000)
  return spanText(ms)
}

/** `12m55s`: two units, without a space, for a duration in ms. */
export const spanText = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours}h${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d${hours % 24}h`
}
