/** The escape sequences that the monitor itself writes. */

const ESC = "\u001b"
const BEL = "\u0007"

export const escapes = {
  enterAlternate: `${ESC}[?1049h`,
  leaveAlternate: `${ESC}[?1049l`,
  hideCursor: `${ESC}[?25l`,
  showCursor: `${ESC}[?25h`,
  /** A line that a terminal thinks wider than we do is cut at the edge and does not push the frame down. */
  noWrap: `${ESC}[?7l`,
  wrap: `${ESC}[?7h`,
  focusReports: `${ESC}[?1004h`,
  noFocusReports: `${ESC}[?1004l`,
  pasteBrackets: `${ESC}[?2004h`,
  noPasteBrackets: `${ESC}[?2004l`,
  mouse: `${ESC}[?1000h${ESC}[?1006h`,
  noMouse: `${ESC}[?1006l${ESC}[?1000l`,
  saveTitle: `${ESC}[22;0t`,
  restoreTitle: `${ESC}[23;0t`,
  clear: `${ESC}[2J${ESC}[H`,
  eraseLine: `${ESC}[2K`,
  plain: `${ESC}[0m`,
  beginFrame: `${ESC}[?2026h`,
  endFrame: `${ESC}[?2026l`,
  bell: BEL,
  /** The first cell of a row, counted from 0. */
  to: (row: number): string => `${ESC}[${row + 1};1H`
} as const

/** Everything that is switched on when the monitor takes the screen, and off in the other order when it gives it back. */
export const enterScreen = `${escapes.saveTitle}${escapes.enterAlternate}${escapes.hideCursor}${escapes.noWrap}${escapes.focusReports}${escapes.pasteBrackets}${escapes.clear}`

export const leaveScreen = `${escapes.noMouse}${escapes.noPasteBrackets}${escapes.noFocusReports}${escapes.wrap}${escapes.plain}${escapes.leaveAlternate}${escapes.restoreTitle}${escapes.showCursor}`

const unsafe = /[\u0000-\u001f\u007f-\u009f]/g

/** Sets the window's title. */
export const titleSequence = (title: string): string => `${ESC}]2;${title.replace(unsafe, " ").slice(0, 200)}${BEL}`

/** Asks the terminal to put a text into the clipboard; works through ssh and, where tmux allows it, through tmux. */
export const clipboardSequence = (base64: string): string => `${ESC}]52;c;${base64}${BEL}`

/** A notification of the terminal (OSC 9); inside tmux it is wrapped so that tmux passes it on. */
export const notificationSequence = (text: string, inTmux: boolean): string => {
  const sequence = `${ESC}]9;${text.replace(unsafe, " ").slice(0, 200)}${BEL}`
  return inTmux ? `${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ESC}\\` : sequence
}
