import type { Queryable } from '../db/connect.ts'
import type { View } from './block.ts'
import { readMoney } from './read-money.ts'
import { REACH_MS, readServiceEvents, readSpan, type Span } from './read-rows.ts'
import { SiteTexts } from './texts.ts'
import { VisitorNumbers } from './visitor-numbers.ts'

/**
 * Reads from rows what a question about a time span is counted over: all sessions with a hit in it, what the service wrote
 * in it, and its money.
 * Call it in a snapshot.
 * @param rows sessions and hits that one pair of statements reads, about
 */
export async function readView(tx: Queryable, siteNo: number, span: Span, rows?: number): Promise<View> {
  const numbering = { texts: new SiteTexts(), visitors: new VisitorNumbers() }
  const started = { start: span.start - REACH_MS, end: span.end + REACH_MS }
  return {
    blocks: [
      await readSpan(tx, siteNo, started, numbering, rows),
      await readServiceEvents(tx, siteNo, span, numbering),
    ],
    money: await readMoney(tx, siteNo, span, numbering),
    ...numbering,
  }
}
