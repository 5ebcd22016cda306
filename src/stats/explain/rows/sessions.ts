import { type BreakdownDimension, isHitDimension, isOfSessionEnd } from '../../../dimensions/dimensions.ts'
import { invalidField } from '../../../errors.ts'
import { DAY_MS, HOUR_MS } from '../../../lib/time.ts'
import { keptPart, type ResolvedQuery } from '../../filters/resolved-query.ts'
import { filteredQuery } from '../../sql/filtered-query.ts'
import type { Explained } from '../source.ts'
import type { Subject } from '../value-traffic.ts'
import { AFTER_ALL, type After } from './cursor.ts'

/** A session, and what it adds to each term. */
export interface CountedSession {
  startedAt: Date
  sessionNo: number
  visitorId: string | null
  pageviews: number
  custom_events: number
  visitors: number
  sessions: number
  bounces: number
  duration_ms: number
  engaged_ms: number
  engaged_sessions: number
  scroll_percent: number
  scrolled_sessions: number
}

interface Params {
  /** Only sessions that add to one of them. */
  terms: string[]
  /** One time. */
  afterAt: Date[]
  afterNo: number
  limit: number
}

const listExplainedSessions = filteredQuery<Params, CountedSession>('list-explained-sessions', [
  'filtered_hits',
  'filtered_sessions',
])
const listExplainedSessionsOfHits = filteredQuery<Params, CountedSession>('list-explained-sessions-of-hits', [
  'filtered_hits',
  'session_hits',
  'engagements',
  'filtered_sessions',
])
const listExplainedEndedSessions = filteredQuery<Params, CountedSession>('list-explained-ended-sessions', [
  'filtered_sessions',
])

function statementOf(dimension: BreakdownDimension | undefined) {
  if (!dimension) return listExplainedSessions
  if (isHitDimension(dimension)) return listExplainedSessionsOfHits
  return isOfSessionEnd(dimension) ? listExplainedEndedSessions : listExplainedSessions
}

/** A session that has a hit in the range began at most so long before it. */
const REACH_MS = 25 * HOUR_MS
/** Starts of sessions that the first statement reads; each further one reads four times as much. */
const FIRST_MS = { one: 6 * HOUR_MS, all: DAY_MS }

/**
 * Returns sessions that add to one of the terms, the newest first. Statements read one span of starts after the other, until there are
 * enough: a page of a busy site costs a few hours of it, not the range.
 */
export async function listCountedSessions(
  { services, site, resolved }: Explained,
  {
    terms,
    subject,
    after,
    limit,
  }: { terms: string[]; subject: Subject | undefined; after: After | undefined; limit: number },
): Promise<CountedSession[]> {
  const { start, end } = keptPart(resolved)
  const earliest = start.getTime() - REACH_MS
  const afterNo = after ? Number(after.id) : 0
  if (!Number.isSafeInteger(afterNo)) throw invalidField('cursor', 'must be the next_cursor of an answer')
  const statement = statementOf(subject?.dimension)
  const rows: CountedSession[] = []
  let to = Math.min(end.getTime() + REACH_MS, after ? after.at.getTime() + 1 : Number.POSITIVE_INFINITY)
  let length = services.slices ? FIRST_MS.one : FIRST_MS.all
  while (to > earliest && rows.length < limit && start < end) {
    const from = Math.max(earliest, to - length)
    rows.push(
      ...(await statement(services.reads, sliced(resolved, from, to), {
        params: { terms, afterAt: [after?.at ?? AFTER_ALL], afterNo, limit: limit - rows.length },
        ...(subject && { value: subject.dimension, values: [subject.value], zone: site.timezone }),
      })),
    )
    to = from
    length *= 4
  }
  return rows
}

const sliced = (resolved: ResolvedQuery, from: number, to: number): ResolvedQuery => ({
  ...resolved,
  slice: { from: new Date(from), to: new Date(to) },
})
