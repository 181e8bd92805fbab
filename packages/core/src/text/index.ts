export { type Bounded, bounded } from "./bounded.js"
export { age, duration, InvalidDuration, parseDuration } from "./duration.js"
export { cutAfter, cutBefore, graphemes } from "./graphemes.js"
export { oneLine } from "./oneLine.js"
