/** A figure as a line for the terminal. Pure. */
import { figureText } from "../measure/format.mjs"

export const targetText = ({ better, target, unit }) =>
  target === null ? "" : `${better === "more" ? "at least" : "at most"} ${figureText(target, unit)}`

export const metText = ({ met }) => (met === null ? "" : met ? "met" : "not met")

export const figureLine = (figure) => {
  const judged = figure.target === null ? "" : `  (${targetText(figure)}: ${metText(figure)})`
  return `${figureText(figure.value, figure.unit).padStart(9)}  ${figure.title}${judged}`
}
