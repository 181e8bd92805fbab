export { type Bounded, bounded } from "./bounded.js"
export { duration } from "./duration.js"
export { graphemes } from "./graphemes.js"
export { oneLine } from "./oneLine.js"
