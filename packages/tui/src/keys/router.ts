/**
 * From what Ink hands over to what the monitor understands. Reports of the terminal (mouse, focus, the bounds of a paste)
 * are taken out before any text field sees them; text that came at once is told apart from single keys.
 */
import { Text } from "@alluka/core"
import type { Key } from "ink"
import type { Message } from "../model/Message.js"

/** What has to be remembered between two inputs. */
export interface RouterState {
  /** The text of a paste whose end has not come yet. */
  readonly paste: string | null
}

export const initialRouter: RouterState = { paste: null }

/** What a key gives: its name, or the text it types. */
type KeyInput = Partial<Key>

const mouseReport = /^\[<(\d+);(\d+);(\d+)([Mm])$/

export const route = (
  state: RouterState,
  input: string,
  key: KeyInput
): readonly [RouterState, ReadonlyArray<Message>] => {
  if (input === "[200~") return [{ paste: "" }, []]
  if (input === "[201~") {
    return [{ paste: null }, state.paste === null || state.paste === "" ? [] : [{ _tag: "Pasted", text: state.paste }]]
  }
  if (state.paste !== null) {
    // A person who presses this gets out of a paste that never ended.
    if (key.ctrl === true && input === "c") return [{ paste: null }, [{ _tag: "Pressed", key: "ctrl+c" }]]
    const text = key.return === true ? "\n" : key.tab === true ? "\t" : input
    return [{ paste: state.paste + text }, []]
  }
  const mouse = mouseReport.exec(input)
  if (mouse !== null) return [state, mouseMessage(mouse)]
  if (input === "[I" || input === "[O") return [state, [{ _tag: "Focused", focused: input === "[I" }]]
  const name = keyOf(input, key)
  if (name !== null) return [state, [{ _tag: "Pressed", key: name }]]
  return [state, input === "" ? [] : [{ _tag: "Typed", text: input }]]
}

const mouseMessage = ([, button, column, row, kind]: RegExpExecArray): ReadonlyArray<Message> => {
  if (button === "64") return [{ _tag: "Wheeled", by: -1 }]
  if (button === "65") return [{ _tag: "Wheeled", by: 1 }]
  if (button === "0" && kind === "M") return [{ _tag: "Clicked", column: Number(column) - 1, row: Number(row) - 1 }]
  return []
}

/** The name of a single key; `null` for text of more than one character, and for what has no name. */
const keyOf = (input: string, key: KeyInput): string | null => {
  // Escape comes with `meta`, so it is looked at first.
  if (key.escape === true) return "escape"
  if (key.upArrow === true) return "up"
  if (key.downArrow === true) return "down"
  if (key.leftArrow === true) return "left"
  if (key.rightArrow === true) return "right"
  if (key.pageUp === true) return "pageup"
  if (key.pageDown === true) return "pagedown"
  if (key.home === true) return "home"
  if (key.end === true) return "end"
  if (key.tab === true) return key.shift === true ? "shift+tab" : "tab"
  if (key.return === true) return key.meta === true ? "alt+enter" : "enter"
  // A terminal's backspace comes as `delete`.
  if (key.backspace === true || key.delete === true) return key.meta === true ? "alt+backspace" : "backspace"
  if (input === "\n") return "ctrl+j"
  if (input === " ") return "space"
  const single = Text.graphemes(input).length === 1 && !/[\u0000-\u001f\u007f-\u009f]/.test(input)
  if (!single) return null
  if (key.ctrl === true) return `ctrl+${input}`
  return key.meta === true ? `alt+${input}` : input
}

/** Keys of one character whose name is another than the character. */
export const characterOf = (key: string): string | null =>
  key === "space" ? " " : Text.graphemes(key).length === 1 ? key : null
