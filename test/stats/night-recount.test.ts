// @module-tag full
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { BreakdownQuery } from '../../src/stats/breakdown/query.ts'
import { getBreakdown } from '../../src/stats/reports/breakdown.ts'
import { getOverview, OverviewQuery } from '../../src/stats/reports/overview.ts'
import { getPageTitles, PageTitlesQuery } from '../../src/stats/reports/page-titles.ts'
import { getTimeseries, TimeseriesQuery } from '../../src/stats/reports/timeseries.ts'
import { EMBEDDED_SLICES } from '../../src/stats/sql/slices.ts'
import { testDatabase } from '../support/database.ts'
import { parametersOf } from '../support/expect-reads.ts'
import { randomUuid } from '../support/random-ordinary.ts'
import { type Random, randomFrom } from '../support/random-values.ts'
import { readServices } from '../support/read-services.ts'
import { recountSessions, type SentHit } from '../support/recount.ts'
import { recountBreakdown } from '../support/recount-breakdown.ts'
import { addDays, dayStart, localDate } from '../support/recount-days.ts'
import { type Filters, passesSessionFilters } from '../support/recount-filters.ts'
import { type Query, recountFilteredOverview } from '../support/recount-metrics.ts'
import { recountMetricSeries } from '../support/recount-timeseries.ts'
import { recountTitles } from '../support/recount-titles.ts'
import { type World, worldOf } from '../support/recount-world.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { createTestSite } from '../support/sites.ts'
import { storeVisits } from '../support/stored-visits.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Hours after midnight: up to each, hits are stored, then everything is rolled up. */
const MOMENTS = [-5, 0.25, 1, 2.5, 3, 6, 12, 25, 30]
/** Hours after midnight at which late hits arrive. At the other moments no day is stale because of them. */
const LATE = [-6, 0.75, 5, 20]
/** How rows are read: as the embedded database does, by few sessions at a time, and all at once. */
const SLICES = [EMBEDDED_SLICES, { hits: 40, shortestMs: HOUR }, undefined]
const METRICS = ['visitors', 'pageviews', 'sessions', 'bounce_rate', 'avg_session_seconds'] as const
const FILTERS: Filters[] = [
  { source: { is: ['Google', 'news'] }, browser: { is_not: ['Firefox'] } },
  { country: { is_not: ['US', '(none)'] }, size: { contains: ['o'] } },
]
const PAGES = [
  { path: '/', title: '' },
  { path: '/pricing', title: 'Pricing' },
  { path: '/docs', title: 'Docs' },
  { path: '/docs/start', title: 'Docs' },
]

/** Returns the hits of one visit, in which engagement may come hours after its pageview. */
function visit(random: Random, visitor: string, start: number, lastsMs: number): SentHit[] {
  const dims = {
    source: random.pick(['Google', 'news', 'Direct / None']),
    browser: random.pick(['Chrome', 'Safari', 'Firefox', '']),
    country: random.pick(['DE', 'FR', 'US', '']),
    size: random.pick(['desktop', 'mobile', 'tablet']),
  }
  // At some visits hits follow each other shortly before their session would be over.
  const shortestGap = random.pick([0, 24 * MINUTE])
  const hits: SentHit[] = []
  const add = (at: number, hit: Partial<SentHit> & Pick<SentHit, 'kind'>) =>
    hits.push({ id: randomUuid(random), at, visitor, dims, ...hit })
  for (let at = start; at <= start + lastsMs; at += shortestGap + 1 + random.int(29 * MINUTE - shortestGap)) {
    const page = random.pick(PAGES)
    if (random.chance(0.25)) add(at, { kind: 'event', name: random.pick(['signup', 'outbound']), ...page })
    else add(at, { kind: 'pageview', ...page })
    for (let count = random.pick([0, 1, 1, 2]); count > 0; count--) {
      const scroll = random.chance(0.7) ? { scroll: random.int(101) } : {}
      const engagement = { path: page.path, engagedMs: random.int(90_000), ...scroll }
      add(at + random.int(random.chance(0.05) ? 6 * HOUR : 5 * MINUTE), { kind: 'engagement', ...engagement })
    }
  }
  return hits
}

/** Visits of minutes on several days, many of them at midnight, and some that last for hours over midnight. */
function visitsAround(random: Random, midnight: number): { hit: SentHit; arrivesAt: number }[] {
  const late = LATE.map(hours => midnight + hours * HOUR)
  return Array.from({ length: 12 }, (_, index) => {
    const visitor = randomUuid(random)
    if (index % 4 === 0) {
      // The session that opens after midnight gets hits from before midnight later.
      const hits = visit(random, visitor, midnight - random.int(20 * MINUTE), HOUR)
      return hits.map(hit => ({ hit, arrivesAt: hit.at < midnight ? late[2]! : hit.at }))
    }
    const starts = Array.from({ length: 5 }, () =>
      random.chance(0.4) ? random.int(35 * MINUTE) - 25 * MINUTE : random.int(80 * HOUR) - 50 * HOUR,
    )
    const hits = starts.flatMap(start => visit(random, visitor, midnight + start, random.int(40 * MINUTE)))
    if (random.chance(0.6)) {
      hits.push(...visit(random, visitor, midnight - random.int(7 * HOUR), random.int(14 * HOUR)))
    }
    return hits.map(hit => ({
      hit,
      arrivesAt: (random.chance(0.12) && late.find(at => at >= hit.at)) || hit.at,
    }))
  }).flat()
}

async function expectSameReads(
  services: Parameters<typeof getPageTitles>[0],
  site: Parameters<typeof getPageTitles>[1],
  world: World,
  query: Query,
  metric: (typeof METRICS)[number],
): Promise<void> {
  const given = parametersOf(query)
  for (const sort of ['visitors', 'time_on_page_seconds'] as const) {
    const asked = BreakdownQuery.parse({ ...given, per_page: '100', dimension: 'path', sort })
    const { rows, total } = await getBreakdown(services, site, asked)
    const counted = recountBreakdown(world, 'path', query, undefined, { sort })
    expect({ sort, rows, total }).toEqual({ sort, rows: counted, total: counted.length })
  }
  const titles = await getPageTitles(services, site, PageTitlesQuery.parse({ ...given, per_page: '100' }))
  expect(titles.rows).toEqual(recountTitles(world, query))
  const overview = await getOverview(services, site, OverviewQuery.parse(given))
  expect(overview).toMatchObject(recountFilteredOverview(world, query))
  const asked = TimeseriesQuery.parse({ ...given, metric, group: 'day' })
  const series = recountMetricSeries(world, metric, { ...query, group: 'day' })
  expect({ metric, ...(await getTimeseries(services, site, asked)) }).toEqual({ metric, ...series })
}

// With these seeds, sessions that had no hit for 2 to 30 minutes when their day got session columns go on afterwards.
test.each([
  ['Europe/Berlin', '2026-03-29', 22],
  ['Pacific/Chatham', '2026-06-10', 10],
])('filtered reads: every step of a night equals a recount (%s, %s)', async (timezone, date, seed) => {
  const { db, close } = await testDatabase()
  onTestFinished(close)
  const created = await createTestSite(db, { timezone })
  const site = { ...created, teamId: 'team', timezone, currency: 'USD', firstEventAt: null }
  const midnight = dayStart(timezone, date)
  const arrivals = visitsAround(randomFrom(seed), midnight)
  const batches: SentHit[][] = []
  let world: World = { zone: timezone, hits: [], visits: [] }
  let openDays = 0
  for (const [step, hours] of MOMENTS.entries()) {
    const now = midnight + hours * HOUR
    const last = midnight + (MOMENTS[step - 1] ?? Number.NEGATIVE_INFINITY) * HOUR
    const arrived = arrivals.filter(({ arrivesAt }) => last < arrivesAt && arrivesAt <= now)
    batches.push(arrived.map(({ hit }) => hit))
    await storeVisits(db, site, batches.slice(-1))
    world = worldOf(batches.flat(), recountSessions(batches), timezone)
    // Days that are not stale, and whose session columns leave out sessions that still go on.
    const open = await db`
      select from daily_rollups as day
      where site_no = ${site.siteNo} and open_session_nos <> '{}' and not exists (
        select from dirty_buckets as mark
        where aggregate = 'daily_rollups' and mark.site_no = day.site_no and bucket >= starts_at and bucket < ends_at)`
    openDays += open.length
    for (const isRolledUp of [false, true]) {
      if (isRolledUp) await rollUpAll(db, new Date(now))
      for (const days of [2, 3]) {
        const to = localDate(timezone, now)
        const query = { from: addDays(to, 1 - days), to, filters: FILTERS[(step + days) % FILTERS.length]! }
        const slices = SLICES[(step + days) % SLICES.length]
        const services = { ...readServices(db, new Date(now)), slices, config: loadConfig({}) }
        const metric = METRICS[(2 * step + days) % METRICS.length]!
        await expectSameReads(services, site, world, query, metric).catch(error => {
          throw new Error(JSON.stringify({ hours, isRolledUp, slices, ...query }), { cause: error })
        })
      }
    }
  }
  // Otherwise the reads would not cover what makes a night difficult.
  expect(openDays).toBeGreaterThan(0)
  const nightly = world.visits
    .filter(kept => FILTERS.some(filters => passesSessionFilters(kept, filters)))
    .filter(({ hits }) => hits[0]!.at < midnight && hits.at(-1)!.at >= midnight)
  const beganAfter = nightly.filter(({ startedAt }) => startedAt >= midnight).length
  expect(beganAfter).toBeGreaterThan(0)
  expect(nightly.length).toBeGreaterThan(beganAfter)
})
