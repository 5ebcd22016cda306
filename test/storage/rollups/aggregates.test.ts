import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/platform/lib/time.ts'
import { StatsQuery } from '../../../src/stats/filters/stats-query.ts'
import { getOverview } from '../../../src/stats/reads/overview.ts'
import { refreshAggregate, refreshWindow } from '../../../src/storage/rollups/aggregates.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { readServices } from '../../support/read-services.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'

const NOW = Date.UTC(2026, 2, 10, 12, 5)

const db = dbOf(useDatabase(testDatabase))

async function pageviewsOf({ siteNo }: TestSite): Promise<number> {
  const site = { siteNo, teamId: 'team', timezone: 'UTC', currency: 'USD', firstEventAt: null }
  const query = StatsQuery.parse({ from: '2026-03-10', to: '2026-03-10' })
  const { pageviews } = await getOverview(readServices(db, new Date(NOW)), site, query)
  return pageviews
}

const WINDOW = { start: NOW - DAY_MS, end: NOW + DAY_MS }

test.each([
  ['the regular refresh', () => refreshAggregate(db, 'hits', new Date(NOW))],
  ['the refresh of a window', () => refreshWindow(db, 'hits', WINDOW, new Date(NOW))],
])('aggregates: after %s, a mark above the watermark hides no later hit', async (_, refresh) => {
  const site = await createTestSite(db)
  await storeHits(db, 0, [enrichedHit(site, NOW - MINUTE_MS)])
  await refresh()
  await db`
    insert into dirty_buckets (aggregate, site_no, bucket)
    values ('hits', ${site.siteNo}, time_bucket(interval '15 minutes', ${new Date(NOW)}::timestamptz))`
  await refresh()
  await storeHits(db, 0, [enrichedHit(site, NOW)])
  expect(await pageviewsOf(site)).toBe(2)
})
