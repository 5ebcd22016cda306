import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { compressSettledChunks } from '../../src/rollups/columnstore.ts'
import { getWebVitalsAttribution, WebVitalsAttributionQuery } from '../../src/stats/web-vitals/attribution.ts'
import { getWebVitalsBreakdown, WebVitalsBreakdownQuery } from '../../src/stats/web-vitals/breakdown.ts'
import { getWebVitals, WebVitalsQuery } from '../../src/stats/web-vitals/overview.ts'
import { getWebVitalsTimeseries, WebVitalsTimeseriesQuery } from '../../src/stats/web-vitals/timeseries.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import type { TestSite } from '../support/sites.ts'
import {
  DAY,
  detailsFrom,
  MINUTE,
  NOW,
  newSite,
  type Range,
  type Retained,
  retain,
  services,
  settle,
  storedSite,
} from './retained-sites.ts'

const FIRST = Date.parse('2026-03-26T10:00:00Z')
const DAYS = 91
const SPAN = { from: '2026-03-01', to: '2026-06-24' }

let database: TestDatabase
let db: Db
let limited: Retained
let unlimited: Retained
beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  limited = await newSite(db, { months: 1 })
  unlimited = await newSite(db)
  for (const site of [limited, unlimited]) await storeHits(db, 0, reports(site))
  await settle(db)
  await compressSettledChunks(db, NOW)
})
afterAll(() => database.close())

/** A pageview with a report each day; it is slower from day to day. */
const reports = (site: TestSite) =>
  Array.from({ length: DAYS }, (_, day) => visit(site, FIRST + day * DAY, 100 * day)).flat()

function visit(site: TestSite, at: number, lcp: number) {
  const page = { visitorId: randomUUID(), url: '/a' }
  const vitals = { id: randomUUID(), lcp, lcpTarget: '#hero' }
  return [
    enrichedHit(site, at, page),
    enrichedHit(site, at + MINUTE, { ...page, type: 'web_vitals', vitals }),
  ]
}

const countReports = async ({ siteNo }: TestSite) =>
  (await db`select count(*)::int as count from web_vitals where site_no = ${siteNo}`)[0]!.count

async function read(site: TestSite, range: Range) {
  const asked = await storedSite(db, site)
  const parts = services(db)
  const ofMetric = { ...range, metric: 'lcp' }
  const series = await getWebVitalsTimeseries(parts, asked, WebVitalsTimeseriesQuery.parse(ofMetric))
  const breakdown = WebVitalsBreakdownQuery.parse({ ...ofMetric, dimension: 'path' })
  return {
    overview: await getWebVitals(parts, asked, WebVitalsQuery.parse(range)),
    // A shorter range has fewer buckets, and others.
    samples: (series as unknown as { samples: number[] }).samples.reduce((sum, count) => sum + count, 0),
    breakdown: await getWebVitalsBreakdown(parts, asked, breakdown),
    attribution: await getWebVitalsAttribution(parts, asked, WebVitalsAttributionQuery.parse(ofMetric)),
    shown: [...new Set(parts.shown)],
  }
}

test('retention: reports of web vitals go with the details, and reads begin where these begin', async () => {
  const ofUnlimited = await read(unlimited, SPAN)
  expect(ofUnlimited.samples).toBe(DAYS)
  await retain(db)
  const from = (await detailsFrom(db, limited))!
  expect(from).toBe('2026-05-22T00:00:00.000Z')
  const kept = { from: from.slice(0, 10), to: SPAN.to }
  const daysKept = (Date.parse('2026-06-25T00:00:00Z') - Date.parse(from)) / DAY
  const all = await read(limited, SPAN)
  expect(all.samples).toBe(daysKept)
  expect(all.shown).toEqual([from])
  expect({ ...all, shown: [] }).toEqual(await read(limited, kept))
  expect((await read(limited, { from: '2026-03-26', to: '2026-04-30' })).samples).toBe(0)
  // Rows go by the chunk: at least those of the days with details are left.
  expect(await countReports(limited)).toBeGreaterThanOrEqual(daysKept)
  expect(await countReports(limited)).toBeLessThan(daysKept + 9)
  expect(await countReports(unlimited)).toBe(DAYS)
  expect(await read(unlimited, SPAN)).toEqual(ofUnlimited)
})

test('retention: a report before the details is not stored', async () => {
  const before = await countReports(limited)
  const at = Date.parse('2026-05-10T10:00:00Z')
  const stored = await storeHits(db, 0, visit(limited, at, 900))
  expect(stored).toMatchObject({ stored: 0, expired: [{ type: 'pageview' }, { type: 'web_vitals' }] })
  expect(await countReports(limited)).toBe(before)
})
