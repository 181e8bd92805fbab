/** The size of the reliability suite: short within `npm test`, full with `npm run test:reliability`. */
export const full = process.env.ALLUKA_TEST_RELIABILITY === "full"

export const size = (sizes: { readonly short: number; readonly full: number }): number =>
  full ? sizes.full : sizes.short
