import { expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { countTraffic } from '../../src/stats/metrics/traffic.ts'
import { sharedDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { createTestSite } from '../support/sites.ts'

const DAY = 86_400_000
const MINUTE = 60_000
const START = Date.UTC(2026, 2, 10)
const END = START + 4 * DAY

test('filtered overview: visitors of sessions that cross the bounds of the range count once, by their hits in it', async () => {
  const { db, close } = await sharedDatabase()
  try {
    const site = await createTestSite(db)
    const hit = (visitor: number, at: number, type: 'pageview' | 'event' = 'pageview') => ({
      ...enrichedHit(site, at, {
        visitorId: `00000000-0000-4000-8000-${String(visitor).padStart(12, '0')}`,
        url: '/a',
        type,
        ...(type === 'event' && { name: 'open' }),
      }),
      country: visitor < 100 ? 'US' : 'DE',
    })
    await storeHits(db, 0, [
      // The session began before the range, and the visitor comes back in it.
      hit(1, START - MINUTE),
      hit(1, START + MINUTE),
      hit(1, START + 2 * DAY),
      // Only the session before the range.
      hit(2, START - 2 * MINUTE),
      hit(2, START + 2 * MINUTE, 'event'),
      // In the range, and beyond its end.
      hit(3, END - MINUTE),
      hit(3, END + MINUTE),
      // After the range.
      hit(4, END + MINUTE),
      hit(5, END + 2 * MINUTE),
      hit(100, START + DAY),
    ])
    // Late: the session began after the range.
    await storeHits(db, 0, [hit(4, END - MINUTE)])
    const resolved = {
      siteNo: site.siteNo,
      start: new Date(START),
      end: new Date(END),
      filters: {
        dimensions: [
          {
            dimension: 'country' as const,
            condition: { field: 'country', operator: 'is' as const, values: ['US'] },
          },
        ],
        property: undefined,
      },
      goal: undefined,
    }
    const services = { reads: db, rollups: inProcessPool(db) }
    expect(await countTraffic(services, resolved, [resolved])).toEqual([
      { pageviews: 4, customEvents: 1, visitors: 4, sessions: 2, bounces: 1, durationMs: 2 * MINUTE },
    ])
  } finally {
    await close()
  }
})
