import { beforeAll, expect, test } from 'vitest'
import type { EnrichedHit, Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { getPageTitles, PageTitlesQuery } from '../../src/stats/reports/page-titles.ts'
import { enrichedHit } from '../support/hits.ts'
import { readServices, readSite } from '../support/read-services.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { useDatabase } from './stored-stream.ts'

const DAY = 86_400_000
const MINUTE = 60_000
/** The range is this day; the previous period is the day before. */
const TODAY = Date.UTC(2026, 2, 10)
/** More titles than a page has. */
const OLD_TITLES = 1_010

const database = useDatabase()
let site: TestSite

const visitor = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

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
    // Of another country, which filters leave out.
    hit(100_000, TODAY + 6 * MINUTE, { title: 'Rare', url: '/foreign' }),
    // A session that began in the range but saw this title only after the end of the range: a session without pageviews.
    hit(5, TODAY + DAY - 2 * MINUTE, { title: '', url: '/late' }),
    hit(5, TODAY + DAY + MINUTE, { title: 'Afterwards', url: '/after' }),
    // The same of a title that another session saw in the range.
    hit(5, TODAY + DAY + MINUTE, { title: 'By event', url: '/later' }),
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

const titles = (query: Record<string, unknown>) =>
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

test('filtered titles: sessions count by their start, pageviews by their own time', async () => {
  const rows = await titled({ country: 'US' })
  const afterwards = { path: '/after', pageviews: 0, sessions: 1, time_on_page_seconds: 7 }
  expect(rows.get('Afterwards')).toMatchObject(afterwards)
  expect(rows.get('Continued')).toMatchObject({ pageviews: 1, sessions: 0, bounce_rate: 0 })
  expect(rows.get('By event')).toMatchObject({ path: '/event', pageviews: 0, sessions: 2, bounce_rate: 0 })
  expect(rows.has('')).toBe(false)
})

test('filtered titles: pages after the first also show the previous period', async () => {
  const all = await titles({ country: 'US' })
  const pages = await Promise.all(
    all.rows.map((_, index) => titles({ country: 'US', per_page: '1', page: String(index + 1) })),
  )
  expect(pages.map(({ rows, total }) => [rows, total])).toEqual(all.rows.map(row => [[row], all.total]))
})
