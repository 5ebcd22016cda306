// @module-tag full
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { applyRetention } from '../../../src/outgoing/retention/retention-jobs.ts'
import type { Db } from '../../../src/platform/db/connect.ts'
import {
  getWebVitalsAttribution,
  WebVitalsAttributionQuery,
} from '../../../src/stats/web-vitals/attribution.ts'
import {
  getWebVitalsBreakdown,
  WebVitalsBreakdownQuery,
} from '../../../src/stats/web-vitals/vitals-breakdown.ts'
import { getWebVitals, WebVitalsQuery } from '../../../src/stats/web-vitals/vitals-overview.ts'
import {
  getWebVitalsTimeseries,
  WebVitalsTimeseriesQuery,
} from '../../../src/stats/web-vitals/vitals-timeseries.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { dyingAfter } from '../../support/dying-after.ts'
import { enrichedHit } from '../../support/hits.ts'
import {
  DAY,
  detailsFrom,
  firstRows,
  MINUTE,
  NOW,
  newSite,
  type Range,
  type Retained,
  readDetails,
  readNumbers,
  retain,
  sendVisits,
  services,
  settle,
  storedSite,
} from './retained-sites.ts'

/** Whole days of the sites, in every way a range is read: by month, week, day and hour; before, over and after the boundary. */
const RANGES: Range[] = [
  { range: 'all' },
  { from: '2026-04-05', to: '2026-05-25' },
  { from: '2026-03-27', to: '2026-03-27' },
  { from: '2026-03-28', to: '2026-03-29' },
]
const DETAILS_FROM = '2026-05-22T00:00:00.000Z'
const KEPT = { from: '2026-05-22', to: '2026-06-24' }

const DAYS = 91
const REPORTED = Date.parse('2026-03-26T10:00:00Z')
const SPAN = { from: '2026-03-01', to: '2026-06-24' }

/** A pageview with a report of Web Vitals. */
function measured(site: Retained, at: number, lcp: number) {
  const page = { visitorId: randomUUID(), url: '/a' }
  const vitals = { id: randomUUID(), lcp, lcpTarget: '#hero' }
  return [
    enrichedHit(site, at, page),
    enrichedHit(site, at + MINUTE, { ...page, type: 'web_vitals', vitals }),
  ]
}

const countReports = async (db: Db, { siteNo }: Retained) =>
  (await db`select from web_vitals where site_no = ${siteNo}`).length

async function readVitals(db: Db, site: Retained, range: Range) {
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

const marksOf = async (db: Db) => (await db`select from dirty_buckets`).length

describe('retention of several sites, in the columnstore', () => {
  const db = dbOf(useDatabase(testDatabase))
  let utc: Retained
  let berlin: Retained
  let york: Retained
  let unlimited: Retained
  let sites: Retained[]
  let before: Map<Retained, object[]>
  const numbers = (site: Retained) => Promise.all(RANGES.map(range => readNumbers(db, site, range)))

  beforeAll(async () => {
    utc = await newSite(db, { months: 1 })
    berlin = await newSite(db, { months: 2, timezone: 'Europe/Berlin' })
    york = await newSite(db, { months: 1, timezone: 'America/New_York' })
    unlimited = await newSite(db)
    sites = [utc, berlin, york, unlimited]
    for (const site of sites) await sendVisits(db, site, { first: '2026-03-26', days: DAYS })
    // Slower from day to day.
    const reports = (site: Retained) =>
      Array.from({ length: DAYS }, (_, day) => measured(site, REPORTED + day * DAY, 100 * day)).flat()
    for (const site of [utc, unlimited]) await storeHits(db, 0, reports(site))
    await db`insert into goals (site_no, display_name, type, match_value, match_operator)
      select site_no, 'Signup', 'event', 'signup', 'is' from sites`
    await settle(db)
    await compressSettledChunks(db, NOW)
    before = new Map()
    for (const site of sites) before.set(site, await numbers(site))
  })

  test('details go by chunk, and all numbers without filters stay, whatever comes later', async () => {
    // Details go up to a start of a local day.
    const detailsBefore = await readDetails(db, utc, KEPT)
    const unlimitedBefore = await readDetails(db, unlimited, { range: 'all' })
    const vitalsBefore = await readVitals(db, unlimited, SPAN)
    expect(vitalsBefore.samples).toBe(DAYS)
    await retain(db)
    expect(await detailsFrom(db, utc)).toBe(DETAILS_FROM)
    // Starts of local days, at least a day after the end of the chunk.
    expect(await detailsFrom(db, york)).toBe('2026-05-22T04:00:00.000Z')
    expect(await detailsFrom(db, berlin)).toBe('2026-04-24T22:00:00.000Z')
    expect(await detailsFrom(db, unlimited)).toBeNull()
    for (const site of [utc, york]) {
      const { hit, session } = await firstRows(db, site)
      for (const at of [hit, session]) expect(at! >= '2026-05-21' && at! < '2026-05-22').toBe(true)
    }
    expect((await firstRows(db, berlin)).hit).toMatch(/^2026-04-2[34]/)
    expect((await firstRows(db, unlimited)).hit).toMatch(/^2026-03-26/)
    expect(await marksOf(db)).toBe(0)
    for (const site of sites) expect(await numbers(site)).toEqual(before.get(site))
    expect(await readDetails(db, utc, KEPT)).toEqual(detailsBefore)
    expect(await readDetails(db, unlimited, { range: 'all' })).toEqual(unlimitedBefore)
    expect(await readVitals(db, unlimited, SPAN)).toEqual(vitalsBefore)

    // What needs rows begins with the details and says so.
    const all = await readDetails(db, utc, SPAN)
    const kept = await readDetails(db, utc, KEPT)
    expect(all.shown).toEqual([DETAILS_FROM])
    expect(kept.shown).toEqual([])
    expect({ ...all, shown: [] }).toEqual(kept)
    const gone = await readDetails(db, utc, { from: '2026-03-01', to: '2026-03-31' })
    expect(gone.log.total).toBe(0)
    expect(gone.overview).toMatchObject({ visitors: 0, pageviews: 0, sessions: 0 })
    expect(gone.goals).toMatchObject([{ conversions: 0, conversion_rate: 0 }])

    const daysKept = (Date.parse('2026-06-25T00:00:00Z') - Date.parse(DETAILS_FROM)) / DAY
    const vitals = await readVitals(db, utc, SPAN)
    expect(vitals).toMatchObject({ samples: daysKept, shown: [DETAILS_FROM] })
    expect({ ...vitals, shown: [] }).toEqual(await readVitals(db, utc, KEPT))
    expect((await readVitals(db, utc, { from: '2026-03-26', to: '2026-04-30' })).samples).toBe(0)
    // Rows go by the chunk: at least those of the days with details are left.
    expect(await countReports(db, utc)).toBeGreaterThanOrEqual(daysKept)
    expect(await countReports(db, utc)).toBeLessThan(daysKept + 9)
    expect(await countReports(db, unlimited)).toBe(DAYS)

    // Late hits of another site refresh the same buckets and change no number of a site without details.
    for (const day of [2, 9, 30])
      await storeHits(db, 0, [enrichedHit(unlimited, Date.parse('2026-03-26T00:55:00Z') + day * DAY)])
    expect(await marksOf(db)).toBeGreaterThan(0)
    await settle(db)
    expect(await marksOf(db)).toBe(0)
    for (const site of [utc, berlin, york]) expect(await numbers(site)).toEqual(before.get(site))
    before.set(unlimited, await numbers(unlimited))

    // A hit or a report that is older than the details is not stored and changes nothing.
    const at = Date.parse('2026-05-21T23:59:00Z')
    const stored = await storeHits(db, 0, [enrichedHit(utc, at), enrichedHit(unlimited, at)])
    expect(stored).toMatchObject({ stored: 1, dropped: 0, expired: [{ siteNo: utc.siteNo }] })
    const reports = await countReports(db, utc)
    const reported = await storeHits(db, 0, measured(utc, Date.parse('2026-05-10T10:00:00Z'), 900))
    expect(reported).toMatchObject({ stored: 0, expired: [{ type: 'pageview' }, { type: 'web_vitals' }] })
    expect(await countReports(db, utc)).toBe(reports)
    await settle(db)
    expect(await numbers(utc)).toEqual(before.get(utc))
    before.set(unlimited, await numbers(unlimited))

    // A later run moves on by further chunks, and a chunk that no site needs is dropped.
    await db`update sites set retention_months = 1`
    const chunks = async () =>
      (await db`select from timescaledb_information.chunks where hypertable_name = 'events'`).length
    const many = await chunks()
    await retain(db)
    expect(await chunks()).toBeLessThan(many - 5)
    for (const site of sites) {
      expect(await detailsFrom(db, site)).toMatch(/^2026-05-2[12]/)
      expect(await numbers(site)).toEqual(before.get(site))
    }
    const later = new Date(NOW.getTime() + 14 * DAY)
    await settle(db, later)
    await retain(db, later)
    expect(await detailsFrom(db, utc)).toBe('2026-06-05T00:00:00.000Z')
    expect(await readNumbers(db, utc, RANGES[1]!)).toEqual(before.get(utc)![1])
  })
})

describe('retention that is stopped', { tags: ['full'] }, () => {
  const db = dbOf(useDatabase(testDatabase))

  test.each(['as rows', 'in the columnstore'])(
    'after each number of statements it goes on, and no reader sees another number, %s',
    async storage => {
      const [site, other] = [await newSite(db, { months: 1 }), await newSite(db)]
      for (const each of [site, other])
        await sendVisits(db, each, { first: '2026-05-09', days: 46, every: 11 * 60 * MINUTE })
      await settle(db)
      if (storage === 'in the columnstore') await compressSettledChunks(db, NOW)
      const ranges: Range[] = [{ range: 'all' }, { from: '2026-05-10', to: '2026-05-10' }]
      const read = (each: Retained) => Promise.all(ranges.map(range => readNumbers(db, each, range)))
      const before = [await read(site), await read(other)]
      const details = () => readDetails(db, site, KEPT)
      const detailsBefore = await details()
      let at = NOW.getTime()
      let isMore = true
      for (let calls = 1; isMore || (await firstRows(db, site)).hit! < '2026-05-21'; calls += 5) {
        at += 2 * MINUTE
        let steps = calls % 3
        const mayGoOn = () => calls % 2 === 0 || steps-- > 0
        isMore = await applyRetention(dyingAfter(db, calls), new Date(at), mayGoOn).catch(error => {
          expect(error.message).toBe('killed')
          return true
        })
        expect(await readNumbers(db, site, { range: 'all' })).toEqual(before[0]![0])
      }
      expect([await read(site), await read(other)]).toEqual(before)
      expect(await details()).toEqual(detailsBefore)
    },
  )
})
