import { query } from '../../../platform/db/query.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import { REACH_MS } from '../../../storage/columns/read-rows.ts'
import { countAsked } from '../../counts/count-filtered.ts'
import type { CountedSession } from '../../counts/counted-sessions.ts'
import { keptPart } from '../../filters/resolved-query.ts'
import { sourceOf } from '../../planner.ts'
import { sessionIdOf } from '../../sessions/session-id.ts'
import type { TermName } from '../explanation.ts'
import { withoutGoals } from '../terms.ts'
import { COUNT_OF, type TrafficTerm } from '../traffic-terms.ts'
import { numberOf } from './cursor.ts'
import { type Listed, listedRow, valuesOf, type Wanted } from './listed.ts'

const findVisitorIds = query<{ siteNo: number; visitorNos: number[] }, { visitorNo: number; id: string }>(
  'find-visitor-ids',
  `select visitor_no as "visitorNo", id::text as id
  from visitors
  where site_no = :siteNo::int and visitor_no = any(:visitorNos::int[])`,
)

async function visitorIdsOf(
  { services, site }: Wanted,
  visitorNos: (number | null)[],
): Promise<Map<number | null, string>> {
  const known = visitorNos.filter(no => no !== null)
  if (known.length === 0) return new Map()
  const rows = await findVisitorIds(services.reads, { siteNo: site.siteNo, visitorNos: known })
  return new Map(rows.map(({ visitorNo, id }) => [visitorNo, id]))
}

/** Terms of sessions that decide which are listed, instead of those that are counted of the same sessions. */
const DECIDED_BY: Partial<Record<TermName, TrafficTerm>> = {
  bounces: 'sessions',
  duration_ms: 'sessions',
  engaged_ms: 'engaged_sessions',
  scroll_percent: 'scrolled_sessions',
}

/** Returns the sessions that add to one of the terms. */
export async function listSessions(wanted: Wanted): Promise<Listed[]> {
  const sessions = await listNewest(wanted)
  const ids = await visitorIdsOf(
    wanted,
    sessions.map(({ visitorNo }) => visitorNo),
  )
  return sessions.map(({ startedAt, sessionNo, visitorNo, ...counts }) => {
    const id = sessionIdOf({ startedAt: new Date(startedAt), sessionNo })
    const added = wanted.terms.map(term => [term, BigInt(counts[COUNT_OF[term as TrafficTerm]])])
    return listedRow(
      { at: startedAt, id: String(sessionNo) },
      {
        id,
        session_id: id,
        visitor_id: ids.get(visitorNo) ?? null,
        values: valuesOf(wanted.terms, Object.fromEntries(added)),
      },
    )
  })
}

/**
 * Without filters it asks for the newest sessions of a day and, until there are enough, of four times as long: columns of a long range need not
 * be made for a page. What is selected by filters may depend on the whole range.
 */
async function listNewest({
  services,
  resolved,
  terms,
  of,
  after,
  limit,
}: Wanted): Promise<CountedSession[]> {
  const { start, end } = keptPart(resolved)
  if (start >= end) return []
  const columns = [...new Set(terms.map(term => COUNT_OF[DECIDED_BY[term] ?? (term as TrafficTerm)]))]
  const behind = after && { at: after.at, sessionNo: numberOf(after) }
  const asked = { columns, limit, ...of, after: behind }
  const list = (from: number, to: number) =>
    countAsked(services, { ...resolved, start: new Date(from), end: new Date(to) }, 'countedSessions', asked)
  if (sourceOf('countedSessions', resolved) === 'columns') return list(start.getTime(), end.getTime())
  const to = Math.min(end.getTime(), after ? after.at + REACH_MS : Number.POSITIVE_INFINITY)
  for (let length = DAY_MS; ; length *= 4) {
    const from = to - length - REACH_MS
    if (from <= start.getTime()) return list(start.getTime(), to)
    // Of a session that started shortly after `from`, some hits may lie before it.
    const whole = (await list(from, to)).filter(({ startedAt }) => startedAt >= from + REACH_MS)
    if (whole.length === limit) return whole
  }
}

/** Returns the visitors who converted. */
export async function listConverters(wanted: Wanted): Promise<Listed[]> {
  const { services, of, targets, terms, after, limit } = wanted
  const { resolved } = of.dimension === undefined ? withoutGoals(wanted) : wanted
  const behind = after && { at: after.at, visitorNo: numberOf(after) }
  const asked = { targets, limit, ...of, after: behind }
  const converters = await countAsked(services, resolved, 'converterPage', asked)
  const ids = await visitorIdsOf(
    wanted,
    converters.map(({ visitorNo }) => visitorNo),
  )
  return converters.map(({ at, visitorNo }) =>
    listedRow(
      { at, id: String(visitorNo) },
      { id: ids.get(visitorNo) ?? null, values: valuesOf(terms, { converting_visitors: 1n }) },
    ),
  )
}
