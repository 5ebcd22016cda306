import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { DAY_MS, MINUTE_MS } from '../../src/lib/time.ts'
import { refreshAggregate, refreshWindow } from '../../src/rollups/aggregates.ts'
import { getOverview } from '../../src/stats/reports/overview.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { readServices } from '../support/read-services.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

const NOW = Date.UTC(2026, 2, 10, 12, 5)

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

async function pageviewsOf({ siteNo }: TestSite): Promise<number> {
  const { db } = database
  const services = {
    ...readServices(db, new Date(NOW)),
  }
  const site = { siteNo, teamId: 'team', timezone: 'UTC', currency: 'USD', firstEventAt: null }
  const { pageviews } = await getOverview(services, site, {
    range: 'today',
    from: '2026-03-10',
    to: '2026-03-10',
  })
  return pageviews
}

test.each<[string, () => Promise<unknown>]>([
  ['the regular refresh', () => refreshAggregate(database.db, 'hits', new Date(NOW))],
  [
    'the refresh of a window',
    () => refreshWindow(database.db, 'hits', { start: NOW - DAY_MS, end: NOW + DAY_MS }, new Date(NOW)),
  ],
])(
  'aggregates: after %s, a mark above the watermark hides no later hit of its bucket',
  async (_, refresh) => {
    const site = await createTestSite(database.db)
    await storeHits(database.db, 0, [enrichedHit(site, NOW - MINUTE_MS)])
    await refresh()
    await database.db`
    insert into dirty_buckets (aggregate, site_no, bucket)
    values ('hits', ${site.siteNo}, time_bucket(interval '15 minutes', ${new Date(NOW)}::timestamptz))`
    await refresh()
    await storeHits(database.db, 0, [enrichedHit(site, NOW)])
    expect(await pageviewsOf(site)).toBe(2)
  },
)
