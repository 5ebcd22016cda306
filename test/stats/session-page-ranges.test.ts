import { expect, test } from 'vitest'
import { inSnapshot } from '../../src/db/connect.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { refreshAggregate } from '../../src/rollups/aggregates.ts'
import { locateSessionsPage } from '../../src/stats/sessions/session-pages.ts'
import { testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { sweep } from '../support/runs.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { useDatabase } from './stored-stream.ts'

const QUARTER = 15 * 60_000
const HOUR = 4 * QUARTER
const START = Date.UTC(2026, 2, 9)
const END = START + 48 * HOUR
const LIMIT = 7

const database = useDatabase(testDatabase)

/** A session in every 20 minutes; every third one has two pageviews. */
const hitsOf = (site: TestSite) =>
  Array.from({ length: 144 }, (_, index) => {
    const visitorId = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const at = START + index * 20 * 60_000
    const first = enrichedHit(site, at, { visitorId, url: '/a' })
    const second = enrichedHit(site, at + 5_000, { visitorId, url: '/b' })
    return index % 3 === 0 ? [first, second] : [first]
  }).flat()

/** Sessions and their pages as rows tell them. */
async function expectPages(site: TestSite, start: number, end: number) {
  const { db } = database
  const window = { siteNo: site.siteNo, start: new Date(start), end: new Date(end) }
  const rows = await db<{ startedAt: Date }[]>`
    select started_at as "startedAt" from sessions
    where site_no = ${site.siteNo} and started_at >= ${window.start} and started_at < ${window.end}
    order by started_at desc`
  for (let offset = 0; offset < rows.length; offset += LIMIT) {
    const page = await inSnapshot(db, tx => locateSessionsPage(tx, { ...window, limit: LIMIT, offset }))
    const wanted = rows.slice(offset, offset + LIMIT)
    const inRange = rows.filter(({ startedAt }) => startedAt >= page.start! && startedAt < page.end!)
    expect(page.total).toBe(rows.length)
    expect(inRange.slice(page.skipped!, page.skipped! + LIMIT)).toEqual(wanted)
    // The range has the page and little else.
    expect(inRange.length).toBeLessThanOrEqual(LIMIT + 4)
  }
  return rows.length
}

test.each(
  sweep<[string, number | undefined]>([
    ['nothing refreshed', undefined],
    ['older buckets refreshed', 40 * HOUR],
  ]),
)('session pages and totals equal the rows: %s', async (_, refreshedAt) => {
  const { db } = database
  await db`delete from dirty_buckets`
  await db`update watermarks set watermark = '-infinity', refreshed_to = '-infinity' where aggregate = 'sessions'`
  const site = await createTestSite(db)
  const hits = hitsOf(site)
  await storeHits(db, 0, hits)
  if (refreshedAt !== undefined) await refreshAggregate(db, 'sessions', new Date(START + refreshedAt))
  expect(await expectPages(site, START, END)).toBe(144)
  expect(await expectPages(site, START + 3 * HOUR, END - 5 * HOUR)).toBe(120)
  // Late: a session in a refreshed bucket, another hit of a session there, and one that is new.
  const visitorId = '00000000-0000-4000-8000-000000009999'
  await storeHits(db, 1, [
    enrichedHit(site, START + 5 * HOUR + 1_000, { visitorId, url: '/late' }),
    enrichedHit(site, START + 35 * HOUR + 1_000, { visitorId, url: '/late' }),
  ])
  expect(await expectPages(site, START, END)).toBe(146)
})
