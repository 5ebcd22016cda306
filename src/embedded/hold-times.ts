import { MINUTE_MS } from '../lib/time.ts'
import type { Log } from './log.ts'

/** Storing hits should not wait longer than this for other statements. */
const LONG_MS = 250
const REPORT_EVERY_MS = MINUTE_MS

/** Counts of the long turns of one statement. */
interface Held {
  turns: number
  longestMs: number
}

/**
 * Logs the statements that held the session for 250 ms or more, because all other clients wait meanwhile. Logs one line a minute,
 * and nothing in a minute without such statements.
 */
export class HoldTimes {
  private readonly log: Log
  private readonly timer: NodeJS.Timeout
  private held = new Map<string, Held>()

  constructor(log: Log) {
    this.log = log
    this.timer = setInterval(() => this.report(), REPORT_EVERY_MS).unref()
  }

  /** @param statement the longest statement of the turn */
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
