import { query } from '../../db/query.ts'
import { countAsked, countFiltered } from '../counts/count-filtered.ts'
import type { PersonVisits } from '../counts/people.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { hasHitFilters } from '../sql/conditions.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import type { PeopleFilter } from '../sql/narrowing.ts'
import { readSlices } from '../sql/slices.ts'

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

const sumVisitsOfPeople = filteredQuery<{ kind: string; currency: string }, Visits>('sum-visits-of-people', [
  'filtered_sessions',
])

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

/** Returns the sums by person: number of the visitor as text, or identifier of the user. Of those without a session there is nothing. */
export async function sumVisits(
  services: LogServices,
  { site, resolved }: { site: StatsSite; resolved: ResolvedQuery },
  people: PeopleFilter,
): Promise<Map<string, Visits>> {
  // Sessions of a visitor have an index, those of a user have none.
  const count = 'userIds' in people ? countAsked : countFiltered
  const counted = await count(services, keptPart(resolved), 'visits', { people })
  const rows = counted
    ? await withMoney(services, site, counted)
    : await sumRows(services, { site, resolved }, people)
  const sums = new Map<string, Visits>()
  for (const row of rows) {
    const before = sums.get(row.person)
    sums.set(row.person, before ? added(before, row) : row)
  }
  return sums
}

/** On the embedded database, users and filters on hits read all rows of the range: in slices. */
function sumRows(
  services: LogServices,
  { site: { currency }, resolved }: { site: StatsSite; resolved: ResolvedQuery },
  people: PeopleFilter,
): Promise<Visits[]> {
  const kind = 'userIds' in people ? 'users' : 'visitors'
  const options = { people, params: { kind, currency } }
  const isCostly = kind === 'users' || hasHitFilters(resolved)
  return isCostly
    ? readSlices(services, sumVisitsOfPeople, resolved, options)
    : sumVisitsOfPeople(services.reads, resolved, options)
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

const added = (a: Visits, b: Visits): Visits => ({
  person: a.person,
  sessions: a.sessions + b.sessions,
  pageviews: a.pageviews + b.pageviews,
  events: a.events + b.events,
  firstAt: new Date(Math.min(a.firstAt.getTime(), b.firstAt.getTime())),
  lastAt: new Date(Math.max(a.lastAt.getTime(), b.lastAt.getTime())),
  revenue: String(BigInt(a.revenue) + BigInt(b.revenue)),
  mrr: String(BigInt(a.mrr) + BigInt(b.mrr)),
})
