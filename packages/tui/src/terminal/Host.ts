/** What the monitor needs of the terminal and the machine around it. Whoever mounts the monitor gives it. */
import type { Preferences } from "../model/Model.js"

export interface Host {
  /** Puts a text into the clipboard; answers how, for the toast; `null`: it could not. */
  readonly copy: (text: string) => Promise<string | null>
  /** Lets a person edit a text in their own editor; `null`: it was not kept. */
  readonly edit: (text: string) => string | null
  /** Shows a text in the person's pager; answers what went wrong, else `null`. */
  readonly page: (text: string) => string | null
  /** Gives the terminal to another command of the program until it ends; its exit code, or `null`: not possible here. */
  readonly foreground: (argv: ReadonlyArray<string>) => number | null
  readonly savePreferences: (preferences: Preferences) => void
  readonly notify: (text: string) => void
  readonly mouse: (on: boolean) => void
  readonly repaint: () => void
  readonly suspend: () => void
  readonly quit: () => void
}

/** A host that has no terminal of its own: for a monitor inside another app, which gives what it can. */
export const quietHost: Host = {
  copy: () => Promise.resolve(null),
  edit: () => null,
  page: () => "There is no pager here.",
  foreground: () => null,
  savePreferences: () => undefined,
  notify: () => undefined,
  mouse: () => undefined,
  repaint: () => undefined,
  suspend: () => undefined,
  quit: () => undefined
}
