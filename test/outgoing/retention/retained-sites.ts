import { randomUUID } from 'node:crypto'
import { getSiteTraffic } from '../../../src/access/sites/list-sites.ts'
import type { EnrichedHit, Hit } from '../../../src/ingestion/hit.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { applyRetention } from '../../../src/outgoing/retention/retention-jobs.ts'
import type { Db } from '../../../src/platform/db/connect.ts'
import { BreakdownQuery } from '../../../src/stats/breakdown/breakdown-query.ts'
import { StatsQuery } from '../../../src/stats/filters/stats-query.ts'
import type { StatsSite } from '../../../src/stats/query-context.ts'
import { getBreakdown } from '../../../src/stats/reads/breakdown.ts'
import { ErrorsQuery, getErrors } from '../../../src/stats/reads/error-groups.ts'
import { EventLogQuery, getEventLog } from '../../../src/stats/reads/event-log.ts'
import { EventsTimeseriesQuery, getEventsTimeseries } from '../../../src/stats/reads/events-timeseries.ts'
import { FilterValuesQuery, getFilterValues } from '../../../src/stats/reads/filter-values.ts'
import { getGoalReport } from '../../../src/stats/reads/goal-report.ts'
import { getOverview } from '../../../src/stats/reads/overview.ts'
import { getPageTitles, PageTitlesQuery } from '../../../src/stats/reads/page-titles.ts'
import { getPropertyBreakdown, PropertyBreakdownQuery } from '../../../src/stats/reads/property-breakdown.ts'
import { getTimeseries, TimeseriesQuery } from '../../../src/stats/reads/timeseries.ts'
import { AGGREGATE_NAMES, refreshAggregate } from '../../../src/storage/rollups/aggregates.ts'
import { enrichedHit } from '../../support/hits.ts'
import { recordNewPayment } from '../../support/payments.ts'
import { readServices } from '../../support/read-services.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const NOW = new Date('2026-06-25T12:00:00Z')

export async function newSite(db: Db, options: { months?: number; timezone?: string } = {}) {
  const { months = null, timezone = 'UTC' } = options
  const site = await createTestSite(db, { timezone })
  await db`update sites set retention_months = ${months} where site_no = ${site.siteNo}`
  return { ...site, timezone }
}
export type Retained = Awaited<ReturnType<typeof newSite>>

/**
 * Visits of each day from `first` on: one around each local midnight of some zone, some that come back on later days, an error, an
 * event with properties, engagement, and now and then a payment.
 */
export async function sendVisits(
  db: Db,
  site: TestSite,
  { first = '2026-03-01', days = 116, every = 7 * HOUR } = {},
): Promise<void> {
  const start = Date.parse(`${first}T00:00:00Z`)
  const regulars = Array.from({ length: 5 }, () => randomUUID())
  const hits: EnrichedHit[] = []
  let visit = 0
  for (let at = start + 50 * MINUTE; at < start + days * DAY; at += every) {
    const visitorId = visit % 3 === 0 ? regulars[visit % 5]! : randomUUID()
    const country = visit % 4 === 0 ? 'DE' : 'FR'
    const send = (minutes: number, fields: Partial<Hit>) =>
      hits.push(enrichedHit(site, at + minutes * MINUTE, { visitorId, country, ...fields }))
    const page = visit % 4
    send(0, { url: `/?v=${visit % 2}`, title: 'Home' })
    if (visit % 2) send(25, { url: `/page-${page}`, title: `Page ${page}` })
    const props = { plan: visit % 2 ? 'pro' : 'free' }
    if (visit % 5 === 0) send(2, { type: 'event', name: 'signup', props })
    const error = { name: 'TypeError', message: `x${visit % 2} is undefined` }
    if (visit % 9 === 0) send(3, { type: 'error', error })
    visit += 1
  }
  for (let from = 0; from < hits.length; from += 500) await storeHits(db, 0, hits.slice(from, from + 500))
  for (let day = 2; day < days; day += 15) await pay(db, site, new Date(start + day * DAY), regulars[day % 5])
}

export const pay = (db: Db, site: TestSite, paidAt: Date, visitorId?: string) =>
  recordNewPayment(db, site, { paidAt, visitorId })

/** Refreshes the aggregates and rolls up every day. */
export async function settle(db: Db, now = NOW): Promise<void> {
  for (const aggregate of AGGREGATE_NAMES) await refreshAggregate(db, aggregate, now)
  await rollUpAll(db, now)
}

/** Runs the job every two minutes until nothing is left to do. */
export async function retain(db: Db, now = NOW): Promise<void> {
  for (let minute = 0; minute < 8; minute += 2) {
    const at = new Date(now.getTime() + minute * MINUTE)
    while (await applyRetention(db, at)) {}
  }
}

export async function storedSite(db: Db, { siteNo }: TestSite): Promise<StatsSite> {
  const [site] = await db<StatsSite[]>`
    select site_no as "siteNo", team_id as "teamId", timezone, currency, first_event_at as "firstEventAt",
      details_from as "detailsFrom"
    from sites where site_no = ${siteNo}`
  return site!
}

export const detailsFrom = async (db: Db, site: TestSite) =>
  (await storedSite(db, site)).detailsFrom?.toISOString() ?? null

/** Times of the rows that are stored of a site. */
export async function firstRows(db: Db, { siteNo }: TestSite) {
  const [row] = await db<{ hit: Date | null; session: Date | null }[]>`
    select
      (select min(at) from events where site_no = ${siteNo}) as hit,
      (select min(started_at) from sessions where site_no = ${siteNo}) as session`
  return { hit: row!.hit?.toISOString() ?? null, session: row!.session?.toISOString() ?? null }
}

export function services(db: Db, now = NOW) {
  const shown: string[] = []
  return { shown, ...readServices(db, now), showDetailsFrom: (at: Date) => void shown.push(at.toISOString()) }
}

export type Range = { from: string; to: string } | { range: string }

/** Money of a row is that of the days with details. */
const NO_MONEY = { revenue: null, mrr: null, revenue_per_visitor: null }

/** The numbers of a site that need no filter, in a range. Left out: what is documented to need rows. */
export async function readNumbers(db: Db, site: TestSite, range: Range): Promise<object> {
  const asked = await storedSite(db, site)
  const parts = services(db)
  const series: unknown[] = []
  // One of hits, one of sessions, and money.
  for (const metric of ['visitors', 'avg_session_seconds', 'revenue'])
    series.push(await getTimeseries(parts, asked, TimeseriesQuery.parse({ ...range, metric })))
  const breakdowns: unknown[] = []
  for (const dimension of ['path', 'country', 'entry_path']) {
    const { rows, total } = await getBreakdown(parts, asked, BreakdownQuery.parse({ ...range, dimension }))
    breakdowns.push(total, ...rows.map(row => ({ ...row, ...NO_MONEY })))
  }
  const valuesOf = (dimension: string) => FilterValuesQuery.parse({ ...range, dimension })
  const ofSignups = { ...range, event_type: 'event', event_name: 'signup' }
  const titles = await getPageTitles(parts, asked, PageTitlesQuery.parse(range))
  return {
    overview: await getOverview(parts, asked, StatsQuery.parse(range)),
    series,
    breakdowns,
    titles: titles.rows.map(({ path: _path, hostname: _hostname, ...row }) => row),
    types: await getEventsTimeseries(parts, asked, EventsTimeseriesQuery.parse(range)),
    names: await getFilterValues(parts, asked, valuesOf('event_name')),
    countries: await getFilterValues(parts, asked, valuesOf('country')),
    errors: await getErrors(parts, asked, ErrorsQuery.parse(range)),
    properties: await getPropertyBreakdown(parts, asked, PropertyBreakdownQuery.parse(ofSignups)),
    list: [...(await getSiteTraffic(parts, [{ ...asked, hasPayments: true }], '30d')).values()],
  }
}

/** What is read from rows: filtered numbers, the log, goals. */
export async function readDetails(db: Db, site: TestSite, range: Range) {
  const asked = await storedSite(db, site)
  const parts = services(db)
  const filter = { ...range, country: 'DE' }
  const { previous: _previous, ...overview } = await getOverview(parts, asked, StatsQuery.parse(filter))
  const log = await getEventLog(parts, asked, EventLogQuery.parse({ ...range, per_page: '100' }))
  return {
    overview: { ...overview, days: 0 },
    users: await getBreakdown(parts, asked, BreakdownQuery.parse({ ...range, dimension: 'visit_count' })),
    paths: await getBreakdown(parts, asked, BreakdownQuery.parse({ ...filter, dimension: 'path' })),
    log: { total: log.total, times: log.rows.map(row => row.timestamp) },
    goals: await getGoalReport(parts, asked, StatsQuery.parse(range)),
    shown: [...new Set(parts.shown)],
  }
}
