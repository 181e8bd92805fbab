/** A step from one schema to the next, as data: statements only, so that nothing can await while the lock is held. */
export interface Migration {
  /** The `user_version` of a database to which this step was applied: 1, 2, 3 ... */
  readonly version: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/** The schema that a list of migrations, in order, leads to. */
export const latestVersion = (migrations: ReadonlyArray<Migration>): number => migrations.at(-1)?.version ?? 0
