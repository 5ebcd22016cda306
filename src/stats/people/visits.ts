import { query } from '../../platform/db/query.ts'
import type { TimeSpan } from '../../platform/time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { PeopleFilter, PersonVisits } from '../counts/people.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import type { Visit } from './timeline-rows.ts'

/** Sums of the filtered sessions of a person. */
export interface Visits {
  person: string
  sessions: number
  pageviews: number
  events: number
  firstAt: Date
  lastAt: Date
  /** Minor units, as text: a sum may exceed what JavaScript represents exactly. */
  revenue: string
  mrr: string
}

const sumVisitsOfVisitors = query<TimeSpan & { siteNo: number; visitorNos: number[] }, PersonVisits>(
  'sum-visits-of-visitors',
  `select
    visitor_no::text as person, count(*) as sessions, sum(pageviews)::bigint as pageviews, sum(events)::bigint as events,
    (extract(epoch from min(started_at)) * 1000)::bigint as "firstAt",
    (extract(epoch from max(started_at)) * 1000)::bigint as "lastAt",
    array_agg(session_no) as "sessionNos"
  from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
    and visitor_no = any(:visitorNos::int[])
  group by visitor_no`,
)

interface MoneyOfSession {
  sessionNo: number
  revenue: string
  mrr: string
}

const sumMoneyOfSessions = query<{ siteNo: number; currency: string; sessionNos: number[] }, MoneyOfSession>(
  'sum-money-of-sessions',
  `select session_no as "sessionNo", sum(revenue)::text as revenue, sum(mrr)::text as mrr
  from (
    select session_no, amount_minor - refunded_minor as revenue, 0 as mrr
    from revenue
    where session_no = any(:sessionNos::bigint[]) and site_no = :siteNo::int and currency = :currency::text
    union all
    select session_no, 0, amount_minor
    from mrr_movements
    where session_no = any(:sessionNos::bigint[]) and site_no = :siteNo::int and currency = :currency::text
  ) as money
  group by session_no`,
)

/**
 * Returns the sums by person: number of the visitor as text, or identifier of the user. Of those without a session there is nothing. Sessions
 * of visitors have an index: without filters, no columns are needed.
 */
export async function sumVisits(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  { site, resolved }: { site: StatsSite; resolved: ResolvedQuery },
  people: PeopleFilter,
): Promise<Map<string, Visits>> {
  const kept = keptPart(resolved)
  const { siteNo, start, end } = kept
  const counted =
    'visitorNos' in people && sourceOf('sessionsOfVisitors', resolved) === 'rows'
      ? await sumVisitsOfVisitors(services.reads, { siteNo, start, end, ...people })
      : await countAsked(services, kept, 'visits', { people })
  const sums = await withMoney(services, site, counted)
  return new Map(sums.map(row => [row.person, row]))
}

/** Returns the sums of one person, from all sessions of theirs; undefined without one. */
export async function sumOwnVisits(
  services: Pick<StatsServices, 'reads'>,
  site: StatsSite,
  visits: readonly Visit[],
): Promise<Visits | undefined> {
  if (visits.length === 0) return undefined
  const sum = (name: 'pageviews' | 'events') => visits.reduce((total, visit) => total + visit[name], 0)
  const [sums] = await withMoney(services, site, [
    {
      person: '',
      sessions: visits.length,
      pageviews: sum('pageviews'),
      events: sum('events'),
      firstAt: visits.at(-1)!.startedAt.getTime(),
      lastAt: visits[0]!.startedAt.getTime(),
      sessionNos: visits.map(({ sessionNo }) => sessionNo),
    },
  ])
  return sums
}

/** Adds the money that is attributed to the sessions. */
async function withMoney(
  { reads }: Pick<StatsServices, 'reads'>,
  { siteNo, currency }: StatsSite,
  counted: PersonVisits[],
): Promise<Visits[]> {
  const sessionNos = counted.flatMap(visits => visits.sessionNos)
  const money = sessionNos.length > 0 ? await sumMoneyOfSessions(reads, { siteNo, currency, sessionNos }) : []
  const bySession = new Map(money.map(row => [row.sessionNo, row]))
  return counted.map(({ sessionNos: own, firstAt, lastAt, ...counts }) => {
    const ofPerson = own.flatMap(sessionNo => bySession.get(sessionNo) ?? [])
    const sum = (name: 'revenue' | 'mrr') =>
      String(ofPerson.reduce((total, row) => total + BigInt(row[name]), 0n))
    return {
      ...{ ...counts, firstAt: new Date(firstAt), lastAt: new Date(lastAt) },
      ...{ revenue: sum('revenue'), mrr: sum('mrr') },
    }
  })
}
