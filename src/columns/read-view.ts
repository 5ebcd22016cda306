import type { Queryable } from '../db/connect.ts'
import type { View } from './block.ts'
import { REACH_MS, readServiceEvents, readSpan, type Span } from './read-rows.ts'
import { SiteTexts } from './texts.ts'
import { VisitorNumbers } from './visitor-numbers.ts'

/** A time span, and the starts of sessions that are needed besides those with a hit in it. */
interface ViewSpan extends Span {
  sessions?: Span | undefined
}

/**
 * Reads from rows what a question is counted over: all sessions with a hit in its time span, those that it needs besides, and what the
 * service wrote in the time span.
 * Call it in a snapshot.
 * @param rows sessions and hits that one pair of statements reads, about
 */
export async function readView(tx: Queryable, siteNo: number, span: ViewSpan, rows?: number): Promise<View> {
  const numbering = { texts: new SiteTexts(), visitors: new VisitorNumbers() }
  const { start, end, sessions = span } = span
  const started = {
    start: Math.min(start - REACH_MS, sessions.start),
    end: Math.max(end + REACH_MS, sessions.end),
  }
  return {
    blocks: [
      await readSpan(tx, siteNo, started, numbering, rows),
      await readServiceEvents(tx, siteNo, span, numbering),
    ],
    ...numbering,
  }
}
