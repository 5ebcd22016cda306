import type { Log } from './log.ts'

/** Storing is not to wait longer for others. */
const LONG_MS = 250
const REPORT_EVERY_MS = 60_000

/** What is said of the turns of one kind that were long. */
interface Held {
  turns: number
  longestMs: number
}

/** Who kept the session for long: nobody else's statement runs meanwhile. A line a minute, and none where nothing was long. */
export class HoldTimes {
  private readonly log: Log
  private readonly timer: NodeJS.Timeout
  private held = new Map<string, Held>()

  constructor(log: Log) {
    this.log = log
    this.timer = setInterval(() => this.report(), REPORT_EVERY_MS).unref()
  }

  /** @param statement the longest one of the turn */
  note(statement: string, ms: number): void {
    if (ms < LONG_MS) return
    const held = this.held.get(statement) ?? { turns: 0, longestMs: 0 }
    held.turns += 1
    held.longestMs = Math.max(held.longestMs, Math.round(ms))
    this.held.set(statement, held)
  }

  report(): void {
    if (this.held.size === 0) return
    const statements = Object.fromEntries(this.held)
    this.held = new Map()
    this.log.info({ statements }, `the embedded database was held for ${LONG_MS} ms or more`)
  }

  stop(): void {
    clearInterval(this.timer)
    this.report()
  }
}
