import { query } from '../../platform/db/query.ts'
import { EVENT_TYPES, type EventType } from '../../platform/dimensions/event-types.ts'
import { BLOCK_ROWS } from '../../platform/schema/download.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { PeopleFilter } from '../counts/people.ts'
import { readHitsByKey } from '../event-log/log-keys.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices } from '../query-context.ts'
import { findSessionKeys } from '../sessions/session-keys.ts'

type Reads = Pick<StatsServices, 'reads' | 'counter'>

/** A session of a person. */
export interface Visit {
  sessionNo: number
  startedAt: Date
  firstAt: Date
  lastAt: Date
  durationMs: number
  pageviews: number
  events: number
  visitorId: string | null
  userId: string
  userSince: Date | null
  entryPath: string
  source: string
}

const listVisitsOfPerson = query<
  { siteNo: number; first: Date; last: Date; visitorNos: number[]; sessionNos: number[] },
  Visit
>('list-visits-of-person')

export interface EventOfVisit {
  at: Date
  id: string
  sessionNo: number
  type: EventType
  name: string
  path: string
  title: string
  props: Record<string, string> | null
}

const listEventsOfVisits = query<
  { siteNo: number; sessionNos: number[]; firsts: Date[]; lasts: Date[]; limit: number },
  EventOfVisit & { total: number }
>('list-events-of-visits')

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
  services: Reads,
  resolved: ResolvedQuery,
  people: PeopleFilter,
): Promise<Visit[]> {
  const all = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }
  const { startedAt, sessionNos, visitorNos } = await findSessionKeys(services, resolved, people, all)
  const visits: Visit[] = []
  for (let from = 0; from < sessionNos.length; from += BLOCK_ROWS) {
    const to = Math.min(from + BLOCK_ROWS, sessionNos.length)
    const rows = await listVisitsOfPerson(services.reads, {
      siteNo: resolved.siteNo,
      first: new Date(startedAt[to - 1]!),
      last: new Date(startedAt[from]!),
      visitorNos: [...new Set(visitorNos.subarray(from, to))],
      sessionNos: Array.from(sessionNos.subarray(from, to)),
    })
    visits.push(...rows)
  }
  return visits
}

/** Returns the newest events of sessions that match the filters; with the newest ones, all of the same moment. */
export const listEvents = (
  services: Reads,
  resolved: ResolvedQuery,
  visits: Visit[],
  limit: number,
): Promise<Newest<EventOfVisit>> =>
  (sourceOf('hitsOfSessions', resolved) === 'rows' ? listAllEvents : listFilteredEvents)(
    services,
    keptPart(resolved),
    visits,
    limit,
  )

/** Sessions whose events one statement reads. */
const VISITS_AT_ONCE = 50

async function listAllEvents(
  { reads }: Reads,
  { siteNo, start, end }: ResolvedQuery,
  visits: Visit[],
  limit: number,
): Promise<Newest<EventOfVisit>> {
  const newest: Newest<EventOfVisit> = { rows: [], total: 0 }
  for (let from = 0; from < visits.length; from += VISITS_AT_ONCE) {
    const some = visits.slice(from, from + VISITS_AT_ONCE)
    const rows = await listEventsOfVisits(reads, {
      siteNo,
      sessionNos: some.map(({ sessionNo }) => sessionNo),
      // The part of each visit that lies in the range.
      firsts: some.map(({ firstAt }) => (firstAt > start ? firstAt : start)),
      lasts: some.map(({ lastAt }) => (lastAt < end ? lastAt : new Date(end.getTime() - 1))),
      limit,
    })
    newest.total += rows[0]?.total ?? 0
    newest.rows.push(...rows)
    newest.rows.sort((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1))
    newest.rows.length = Math.min(newest.rows.length, limit)
  }
  return newest
}

/** No pageviews. */
const EVENTS = EVENT_TYPES.filter(type => type !== 'pageview')

async function listFilteredEvents(
  services: Reads,
  resolved: ResolvedQuery,
  visits: Visit[],
  limit: number,
): Promise<Newest<EventOfVisit>> {
  if (visits.length === 0) return { rows: [], total: 0 }
  const { total, at, sessionNos, isService, nth } = await countAsked(services, resolved, 'log', {
    types: EVENTS,
    sessionNos: visits.map(({ sessionNo }) => sessionNo),
    limit,
    offset: 0,
  })
  const rows: EventOfVisit[] = []
  for (let from = 0; from < at.length; from += BLOCK_ROWS) {
    const part = <Column extends { subarray: (from: number, to: number) => Column }>(column: Column) =>
      column.subarray(from, from + BLOCK_ROWS)
    const keys = { at: part(at), sessionNos: part(sessionNos), isService: part(isService), nth: part(nth) }
    const hits = await readHitsByKey(services.reads, resolved.siteNo, keys)
    // Without a session where that was deleted meanwhile.
    rows.push(...hits.flatMap(hit => (hit.sessionNo === null ? [] : { ...hit, sessionNo: hit.sessionNo })))
  }
  return { rows, total }
}

/** Returns the newest payments and MRR movements attributed to sessions. */
export async function listMoney(
  { reads }: Reads,
  siteNo: number,
  visits: Visit[],
  limit: number,
): Promise<Newest<MoneyOfVisit>> {
  const sessionNos = visits.map(({ sessionNo }) => sessionNo)
  const rows = sessionNos.length > 0 ? await listMoneyOfVisits(reads, { siteNo, sessionNos, limit }) : []
  return { rows, total: rows[0]?.total ?? 0 }
}
