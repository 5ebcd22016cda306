import { sessionIdOf } from '../../sessions/session-id.ts'
import type { TermName } from '../explanation.ts'
import { type Listed, listedRow, valuesOf, type Wanted } from './listed.ts'
import { type CountedSession, listCountedSessions } from './sessions.ts'

/** Terms of sessions that decide which are listed, instead of those that are counted of the same sessions. */
const DECIDED_BY: Partial<Record<TermName, TermName>> = {
  bounces: 'sessions',
  duration_ms: 'sessions',
  timed_sessions: 'sessions',
  engaged_ms: 'engaged_sessions',
  scroll_percent: 'scrolled_sessions',
}

export async function listSessions(wanted: Wanted): Promise<Listed[]> {
  const { explained, terms, subject, after, limit } = wanted
  const deciding = [...new Set(terms.map(term => DECIDED_BY[term] ?? term))]
  const sessions = await listCountedSessions(explained, { terms: deciding, subject, after, limit })
  return sessions.map(session =>
    listedRow(
      { at: session.startedAt, id: String(session.sessionNo) },
      {
        id: sessionIdOf(session),
        session_id: sessionIdOf(session),
        visitor_id: session.visitorId,
        values: valuesOf(terms, countsOf(session)),
      },
    ),
  )
}

const countsOf = (session: CountedSession): Partial<Record<TermName, bigint>> => {
  const { startedAt: _at, sessionNo: _no, visitorId: _visitor, ...counts } = session
  const all = { ...counts, timed_sessions: counts.sessions }
  return Object.fromEntries(Object.entries(all).map(([name, count]) => [name, BigInt(count)]))
}
