import { MINUTE_MS } from '../lib/time.ts'
import type { Log } from './server-log.ts'
import type { Session } from './session.ts'

/** Storing hits should not wait longer than this for other statements. */
const LONG_MS = 250

/** Counts of the long turns of one statement. */
interface Held {
  turns: number
  longestMs: number
}

/**
 * Logs the statements that held the session for 250 ms or more, because all other clients wait meanwhile. Logs one line a minute,
 * and nothing in a minute without such statements. A turn counts for its longest statement.
 * @returns a function that logs the rest and stops
 */
export function logHoldTimes(session: Session, log: Log): () => void {
  const statements = new Map<string, Held>()
  session.observe((statement, ms) => {
    if (ms < LONG_MS) return
    const name = statement || 'unnamed'
    const { turns, longestMs } = statements.get(name) ?? { turns: 0, longestMs: 0 }
    statements.set(name, { turns: turns + 1, longestMs: Math.max(longestMs, Math.round(ms)) })
  })
  const report = () => {
    if (statements.size === 0) return
    log.info(
      { statements: Object.fromEntries(statements) },
      `the embedded database was held for ${LONG_MS} ms or more`,
    )
    statements.clear()
  }
  const timer = setInterval(report, MINUTE_MS).unref()
  return () => {
    clearInterval(timer)
    report()
  }
}
