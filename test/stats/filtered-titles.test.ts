import { beforeAll, expect, test } from 'vitest'
import type { EnrichedHit, Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { BreakdownQuery } from '../../src/stats/breakdown/query.ts'
import { getBreakdown } from '../../src/stats/reports/breakdown.ts'
import { getOverview, OverviewQuery } from '../../src/stats/reports/overview.ts'
import { getPageTitles, PageTitlesQuery } from '../../src/stats/reports/page-titles.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPatterns } from '../support/in-process-patterns.ts'
import { readServices, readSite } from '../support/read-services.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { useDatabase } from './stored-stream.ts'

const DAY = 86_400_000
const MINUTE = 60_000
/** The range is this day; the previous period is the day before. */
const TODAY = Date.UTC(2026, 2, 10)
/** More titles than a ranking looks up in the previous period. */
const OLD_TITLES = 1_010

const database = useDatabase()
let site: TestSite

const visitor = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const id = (number: number) => `019cd000-0000-7000-8000-${String(number).padStart(12, '0')}`

beforeAll(async () => {
  site = await createTestSite(database.db)
  const hit = (number: number, at: number, fields: Partial<Hit>): EnrichedHit => ({
    ...enrichedHit(site, at, { visitorId: visitor(number), url: '/a', ...fields }),
    country: number < 100_000 ? 'US' : 'DE',
  })
  const old = Array.from({ length: OLD_TITLES }, (_, index) => [
    hit(1_000 + index, TODAY - 12 * 60 * MINUTE, { title: `Old ${index}` }),
    hit(5_000 + index, TODAY - 11 * 60 * MINUTE, { title: `Old ${index}` }),
  ]).flat()
  await storeHits(database.db, 0, [
    ...old,
    // Seen by one session; all other old titles were seen by two.
    hit(9_000, TODAY - 12 * 60 * MINUTE, { title: 'Rare' }),
    hit(1, TODAY + MINUTE, { title: 'Rare' }),
    hit(1, TODAY + 2 * MINUTE, { title: 'Rare' }),
    hit(2, TODAY + 3 * MINUTE, { title: 'rare' }),
    // Two hits at the same time: the one with the larger id gives the path of the title.
    hit(3, TODAY + 5 * MINUTE, { title: 'Twice', url: '/second', id: id(2) }),
    hit(4, TODAY + 5 * MINUTE, { title: 'Twice', url: '/first', id: id(1) }),
    hit(100_000, TODAY + 6 * MINUTE, { title: 'Twice', url: '/foreign' }),
    // A session that began in the range but saw this title only after the end of the range: a session without pageviews.
    hit(5, TODAY + DAY - 2 * MINUTE, { title: '', url: '/late' }),
    hit(5, TODAY + DAY + MINUTE, { title: 'Afterwards', url: '/after' }),
    // A session that began before the range and saw a title in it: a pageview, but no session.
    hit(6, TODAY - MINUTE, { title: '' }),
    hit(6, TODAY + MINUTE, { title: 'Continued' }),
    // An event on a page is not a pageview, but its session counts for the title of the page.
    hit(7, TODAY + 8 * MINUTE, { type: 'event', name: 'open', title: 'By event', url: '/event' }),
  ])
  await storeHits(database.db, 0, [
    hit(1, TODAY + 3 * MINUTE, { type: 'engagement', engagedMs: 4_000 }),
    hit(1, TODAY + 4 * MINUTE, { type: 'engagement', engagedMs: 1_000 }),
    hit(5, TODAY + DAY + 2 * MINUTE, { type: 'engagement', engagedMs: 7_000, url: '/after' }),
  ])
})

const services = () => readServices(database.db, new Date(TODAY + 5 * DAY))
const RANGE = { from: '2026-03-10', to: '2026-03-10', per_page: '100' }

const titles = async (query: Record<string, unknown>) =>
  getPageTitles(services(), readSite(site, 'UTC'), PageTitlesQuery.parse({ ...RANGE, ...query }))

const titled = async (query: Record<string, unknown>) => {
  const { rows } = await titles(query)
  return new Map(rows.map(row => [row.title, row]))
}

test.each([
  ['a filter of sessions', { country: 'US' }],
  ['a filter of hits, too', { country: 'US', hostname: 'example.com' }],
])('filtered titles: %s keeps titles case-sensitive and counts a session once', async (_, filter) => {
  const rows = await titled(filter)
  expect(rows.get('Rare')).toEqual({
    ...{ title: 'Rare', path: '/a', hostname: 'example.com', pageviews: 2, sessions: 1, bounce_rate: 0 },
    ...{ time_on_page_seconds: 5, sessions_previous: 1, sessions_change_pct: 0 },
  })
  expect(rows.get('rare')).toMatchObject({
    ...{ sessions: 1, bounce_rate: 100, time_on_page_seconds: null },
    ...{ sessions_previous: 0, sessions_change_pct: null },
  })
})

test('filtered titles: the path is that of the last id among hits at the same time', async () => {
  expect((await titled({ country: 'US' })).get('Twice')).toMatchObject({ path: '/second', pageviews: 2 })
  expect((await titled({ country: ['US', 'DE'] })).get('Twice')).toMatchObject({ path: '/foreign' })
})

test('filtered titles: sessions count by their start, pageviews by their own time', async () => {
  const rows = await titled({ country: 'US' })
  const afterwards = { path: '/after', pageviews: 0, sessions: 1, time_on_page_seconds: 7 }
  expect(rows.get('Afterwards')).toMatchObject(afterwards)
  expect(rows.get('Continued')).toMatchObject({ pageviews: 1, sessions: 0, bounce_rate: 0 })
  expect(rows.get('By event')).toMatchObject({ path: '/event', pageviews: 0, sessions: 1, bounce_rate: 0 })
  expect(rows.has('')).toBe(false)
})

test('filtered titles: pages after the first also show the previous period', async () => {
  const all = await titles({ country: 'US' })
  const pages = await Promise.all(
    all.rows.map((_, index) => titles({ country: 'US', per_page: '1', page: String(index + 1) })),
  )
  expect(pages.map(({ rows, total }) => [rows, total])).toEqual(all.rows.map(row => [[row], all.total]))
})

test('filtered titles: without matching hits the page is empty', async () => {
  expect(await titles({ country: 'FR' })).toEqual({ rows: [], total: 0 })
  expect(await titles({ country: 'US', page: '3' })).toEqual({ rows: [], total: 6 })
})

test('filtered titles: a request compiles its patterns once', async () => {
  const patterns = inProcessPatterns()
  const tasks: string[] = []
  const run: typeof patterns.run = (task, input, signal) => {
    tasks.push(task)
    return patterns.run(task, input, signal)
  }
  const query = PageTitlesQuery.parse({ ...RANGE, path: { matches_regex: '^/a$' } })
  await getPageTitles({ ...services(), patterns: { ...patterns, run } }, readSite(site, 'UTC'), query)
  expect(tasks).toEqual(['compileTests', 'matchValues'])
})

test('filtered breakdown: by path, visitors and sessions count once for each value', async () => {
  const query = BreakdownQuery.parse({ ...RANGE, country: 'US', dimension: 'path' })
  const { rows, total } = await getBreakdown(services(), readSite(site, 'UTC'), query)
  const counted = rows.map(row => [row.value, row.visitors, row.sessions, row.pageviews, row.bounce_rate])
  expect(counted).toEqual([
    ['/a', 3, 2, 4, 50],
    ['/event', 1, 1, 0, 0],
    ['/first', 1, 1, 1, 100],
    ['/late', 1, 1, 1, 0],
    ['/second', 1, 1, 1, 100],
    ['/after', 0, 1, 0, 0],
  ])
  expect(total).toBe(6)
})

test('filtered overview: visitors of sessions that cross the bounds of the range count once, by their hits in it', async () => {
  const crossing = await createTestSite(database.db)
  const [start, end] = [TODAY, TODAY + 4 * DAY]
  const hit = (number: number, at: number, fields: Partial<Hit> = {}): EnrichedHit => ({
    ...enrichedHit(crossing, at, { visitorId: visitor(number), url: '/a', ...fields }),
    country: number < 100 ? 'US' : 'DE',
  })
  await storeHits(database.db, 0, [
    // The session began before the range, and the visitor comes back in it.
    hit(1, start - MINUTE),
    hit(1, start + MINUTE),
    hit(1, start + 2 * DAY),
    // Only the session before the range.
    hit(2, start - 2 * MINUTE),
    hit(2, start + 2 * MINUTE, { type: 'event', name: 'open' }),
    // In the range, and beyond its end.
    hit(3, end - MINUTE),
    hit(3, end + MINUTE),
    // After the range.
    hit(4, end + MINUTE),
    hit(5, end + 2 * MINUTE),
    hit(100, start + DAY),
  ])
  // Late: the session began after the range.
  await storeHits(database.db, 0, [hit(4, end - MINUTE)])
  const query = OverviewQuery.parse({ from: '2026-03-10', to: '2026-03-13', country: 'US' })
  expect(await getOverview(services(), readSite(crossing, 'UTC'), query)).toMatchObject({
    ...{ pageviews: 4, custom_events: 1, visitors: 4, sessions: 2 },
    ...{ bounce_rate: 50, avg_session_seconds: 60 },
  })
})
