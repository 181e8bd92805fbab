/** The topics of `help` besides the commands. */
export const topicNames: ReadonlyArray<string> = ["exit-codes", "reasons", "json", "environment"]
