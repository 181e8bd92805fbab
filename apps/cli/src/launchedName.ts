/** The hidden command of a run that another process starts and leaves alone. */
export const launchedName = "__launched"
