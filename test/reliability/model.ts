/** What the store promises about runs, as a small machine in memory. The test holds the database against it. */

export type State = "running" | "completed" | "interrupted" | "failed" | "cancelled"

export interface Run {
  readonly id: string
  readonly session: string
  readonly root: string
  readonly source: string | null
  readonly attempt: number
  readonly owner: string
  state: State
  conversation: string | null
  resumedBy: string | null
  tip: boolean
  cancelAsked: boolean
  steps: number
}

export class Model {
  readonly runs: Array<Run> = []
  /** Who the actors are now; an actor that crashed comes back as another owner. */
  readonly actors: Array<string>
  /** Crashed owners whose runs nobody has ended yet. */
  readonly dead = new Set<string>()

  constructor(actors: ReadonlyArray<string>) {
    this.actors = [...actors]
  }

  /** Counted from the newest. */
  run(number: number): Run | undefined {
    return this.runs.length === 0 ? undefined : this.runs.at(-1 - (number % this.runs.length))
  }

  /** The owner that an actor is now; for what is no actor: the one that has the run, whoever that is. */
  as(actor: number, run: Run): string {
    return this.actors[actor] ?? (this.actors.includes(run.owner) ? run.owner : (this.actors[0] ?? ""))
  }

  running(fits: (run: Run) => boolean): Run | undefined {
    return this.runs.find((run) => run.state === "running" && fits(run))
  }

  owns(actor: number, run: Run): boolean {
    return run.state === "running" && run.owner === this.as(actor, run)
  }

  begin(run: Pick<Run, "id" | "owner" | "session"> & Partial<Run>): void {
    this.runs.push({
      root: run.id,
      source: null,
      attempt: 1,
      state: "running",
      conversation: null,
      resumedBy: null,
      tip: true,
      cancelAsked: false,
      steps: 0,
      ...run
    })
  }

  /** Whether an attempt to resume a run is granted now. */
  grants(source: Run): boolean {
    return (
      (source.state === "interrupted" || source.state === "failed") &&
      source.tip &&
      source.resumedBy === null &&
      this.running((run) => run.root === source.root || run.session === source.session) === undefined
    )
  }

  /** The conversation of an attempt was reached: it is the tip now. */
  confirm(run: Run): void {
    const source = this.runs.find(({ id }) => id === run.source)
    if (source === undefined) return
    if (source.resumedBy === null) {
      source.resumedBy = run.id
      source.tip = false
    }
    if (source.resumedBy === run.id) run.tip = true
  }

  /** Ends the runs of crashed owners; their ids. */
  sweep(): ReadonlyArray<string> {
    const lost = this.runs.filter((run) => run.state === "running" && this.dead.has(run.owner))
    for (const run of lost) run.state = run.cancelAsked ? "cancelled" : "interrupted"
    return lost.map(({ id }) => id)
  }
}
