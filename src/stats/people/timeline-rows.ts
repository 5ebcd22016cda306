import { query } from '../../db/query.ts'
import type { EventType } from '../../dimensions/event-types.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import type { PeopleFilter } from '../sql/narrowing.ts'
import { readSlices } from '../sql/slices.ts'
import type { VisitSpan } from '../sql/visits.ts'

/** A session of a person. */
export interface Visit extends VisitSpan {
  startedAt: Date
  durationMs: number
  pageviews: number
  visitorId: string | null
  userId: string
  userSince: Date | null
  entryPath: string
  source: string
}

const listVisitsOfPerson = filteredQuery<undefined, Visit>('list-visits-of-person', ['filtered_sessions'])

export interface EventOfVisit {
  at: Date
  id: string
  sessionNo: number
  type: EventType
  name: string
  path: string
  title: string
  props: Record<string, string> | null
  total: number
}

const listEventsOfVisits = filteredQuery<{ limit: number }, EventOfVisit>(
  'list-events-of-visits',
  ['visit_hits'],
  `select at, id::text as id, session_no as "sessionNo", type, name, path, title, props, count(*) over () as total
  from visit_hits
  order by at desc, id desc
  limit (select "limit" from params)`,
)

export interface MoneyOfVisit {
  kind: 'payment' | 'mrr'
  at: Date
  id: string
  sessionNo: number
  name: string
  amount: string
  currency: string
  total: number
}

const listMoneyOfVisits = query<{ siteNo: number; sessionNos: number[]; limit: number }, MoneyOfVisit>(
  'list-money-of-visits',
)

/** The newest rows, and the number of all. */
export interface Newest<Row> {
  rows: Row[]
  total: number
}

/** Returns the filtered sessions of a person, the newest first. */
export async function listVisits(
  services: LogServices,
  resolved: ResolvedQuery,
  people: PeopleFilter,
): Promise<Visit[]> {
  const visits = await readSlices(services, listVisitsOfPerson, resolved, { people })
  return visits.sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime() || b.sessionNo - a.sessionNo)
}

/** Sessions whose events one statement reads. */
const VISITS_AT_ONCE = 50

/** Returns the newest events of sessions. */
export async function listEvents(
  { reads }: LogServices,
  resolved: ResolvedQuery,
  visits: Visit[],
  limit: number,
): Promise<Newest<EventOfVisit>> {
  const newest: Newest<EventOfVisit> = { rows: [], total: 0 }
  for (let from = 0; from < visits.length; from += VISITS_AT_ONCE) {
    const some = visits.slice(from, from + VISITS_AT_ONCE)
    const rows = await listEventsOfVisits(reads, resolved, { params: { limit }, visits: some })
    newest.total += rows[0]?.total ?? 0
    newest.rows.push(...rows)
    newest.rows.sort((a, b) => b.at.getTime() - a.at.getTime())
    newest.rows.length = Math.min(newest.rows.length, limit)
  }
  return newest
}

/** Returns the newest payments and MRR movements attributed to sessions. */
export async function listMoney(
  { reads }: LogServices,
  siteNo: number,
  visits: Visit[],
  limit: number,
): Promise<Newest<MoneyOfVisit>> {
  const sessionNos = visits.map(({ sessionNo }) => sessionNo)
  const rows = sessionNos.length > 0 ? await listMoneyOfVisits(reads, { siteNo, sessionNos, limit }) : []
  return { rows, total: rows[0]?.total ?? 0 }
}
