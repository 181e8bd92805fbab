/** The program's version, put in by the bundler. */
declare const ALLUKA_VERSION: string | undefined

export const version: string = typeof ALLUKA_VERSION === "string" ? ALLUKA_VERSION : "0.0.0-source"
